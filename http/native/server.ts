/**
 * The listening server: plain or TLS, one port that nobody else may share. Owns the native app; what is
 * done with a request is mount.ts's and daemon-socket.ts's.
 */
import "./header-size.ts" // before the library, which reads it when it is loaded
import uWS, { type HttpRequest, type HttpResponse, type TemplatedApp } from "uWebSockets.js"
import { Effect } from "effect"
import { NotFound } from "../../src/errors.ts"
import { bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax, queryCharsMax } from "../../src/limits.ts"
import { listenFault } from "../../src/runtime/listen-fault.ts"
import type { Cors } from "../pipeline/cors.ts"
import { problem } from "../pipeline/problem.ts"
import type { Outlet } from "../pipeline/response.ts"
import { type AddressReader, addressReader } from "./client-address.ts"
import type { OpenConnections } from "./connection-limit.ts"
import { shortTurn } from "./event-loop-turn.ts"
import { Exchange } from "./exchange.ts"
import type { Exchanges, Wants } from "./exchange-needs.ts"
import { courseOf } from "./framing.ts"
import { HeldBytes } from "./held-bytes.ts"
import { UnreadConnections } from "./paused-connections.ts"
import { takeShare } from "./requests-per-turn.ts"
import { later } from "./tick-flush.ts"
import { UnreadAnswers } from "./unread-answers.ts"

/** Where and how to listen. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  /** Several processes of one machine share the port (`--workers`). */
  readonly sharedPort: boolean
}

/** The port could not be had. */
export class PortTaken extends Error {
  override readonly name = "PortTaken"
}
// Leaves the library's own header out of every answer. The types lack this switch; without it the header would only
// stay.
;(uWS as unknown as { readonly _cfg?: (word: string) => void })._cfg?.("silent")

const exclusive = 1 // LIBUS_LISTEN_EXCLUSIVE_PORT
const shared = 0
const closing = -1
const methods = {
  GET: "get",
  HEAD: "head",
  POST: "post",
  PUT: "put",
  PATCH: "patch",
  DELETE: "del",
  OPTIONS: "options",
  ANY: "any"
} as const

const serve = (exchange: Exchange, handle: (exchange: Exchange) => void): void => {
  if (exchange.query.length <= queryCharsMax) handle(exchange)
  else exchange.answer(problem(new NotFound(), exchange.requestId), true)
}

/** No browser takes an answer for another type than it says, whatever its bytes look like. */
const nosniff = ["x-content-type-options", "nosniff"] as const

const alwaysOf = ({ known, headers }: Cors): Exchanges["always"] => {
  const alone = [nosniff]
  return known === 0 ? () => alone : (origin) => [nosniff, ...headers(origin)]
}

/** Makes the server; nothing listens yet. */
export const makeServer = (
  listening: Listening,
  cors: Cors,
  trustedProxies: ReadonlyArray<string>,
  open: OpenConnections
) => {
  const app: TemplatedApp =
    listening.tlsCert !== undefined && listening.tlsKey !== undefined
      ? uWS.SSLApp({ cert_file_name: listening.tlsCert, key_file_name: listening.tlsKey })
      : uWS.App()
  const addresses: AddressReader = addressReader(trustedProxies)
  const exchanges: Exchanges = {
    addresses,
    always: alwaysOf(cors),
    crossOrigin: cors.known > 0,
    proxied: trustedProxies.length > 0,
    draining: false,
    live: 0,
    emptied: () => {},
    bodies: new HeldBytes(bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax),
    answers: new UnreadAnswers(),
    streams: new Set<Outlet>(),
    unread: new UnreadConnections<HttpResponse>()
  }
  let listener: uWS.us_listen_socket | undefined
  // an upgrade is not told of here (daemon-socket.ts counts it), and of one that is closed the address is not known any
  // more
  const connected = (res: HttpResponse, change: Number): void => {
    if (change === closing) open.closed()
    else if (!open.opened(() => addresses.single(res))) res.close()
  }
  app.filter(connected)

  const native =
    (route: string, wants: Wants, handle: (exchange: Exchange) => void) => (res: HttpResponse, req: HttpRequest) => {
      // only what is left has to be asked: a look into native memory costs
      const method = route === "ANY" ? req.getCaseSensitiveMethod() : route
      const exchange = new Exchange(res, req, exchanges, method, wants)
      const course = courseOf(exchange.framing, method, wants.body === true)
      const inTime = takeShare()
      if (course === "last") exchange.afterRead(() => serve(exchange, handle), inTime)
      else if (course !== "served") exchange.refuse(problem(course, exchange.requestId))
      else if (inTime) serve(exchange, handle)
      else exchange.putOff(() => serve(exchange, handle), wants.body === true)
      exchange.left()
    }

  const listen = Effect.callback<number, PortTaken>((resume) => {
    const { host, port } = listening
    const answer = (socket: uWS.us_listen_socket | false) => {
      if (socket === false)
        return resume(Effect.flatMap(listenFault(host, port), (words) => Effect.fail(new PortTaken(words))))
      listener = socket
      resume(Effect.succeed(uWS.us_socket_local_port(socket)))
    }
    // The types lack this form, the library has it: host, port, options, callback.
    const listenOn = app.listen as unknown as (
      host: string,
      port: number,
      options: number,
      answer: (socket: uWS.us_listen_socket | false) => void
    ) => void
    listenOn.call(app, host, port, listening.sharedPort ? shared : exclusive, answer)
  })

  return {
    app,
    exchanges,
    /** Its connections. */
    open,
    secure: listening.tlsCert !== undefined,
    /** An exchange for what came in outside the routes (a refused upgrade). */
    exchange: (res: HttpResponse, req: HttpRequest): Exchange =>
      new Exchange(res, req, exchanges, "GET", { parameters: 0, headers: [] }),
    /** Serves a path by a method (`ANY`: whatever is left). */
    route: (method: string, path: string, wants: Wants, handle: (exchange: Exchange) => void): void => {
      app[methods[method as keyof typeof methods]](path, native(method, wants, handle))
    },
    /** Listens; gives the port. */
    listen,
    /** Takes no new connection from now on; each answer closes its own. */
    stopAccepting: Effect.andThen(
      // right after a turn of the loop: whoever the system had let in by then is accepted, and not reset
      shortTurn,
      Effect.sync(() => {
        exchanges.draining = true
        if (listener !== undefined) uWS.us_listen_socket_close(listener)
        listener = undefined
      })
    ),
    /** Ends every stream. */
    endStreams: Effect.sync(() => {
      for (const outlet of [...exchanges.streams]) outlet.end()
    }),
    /** Ends once nothing is under way; streams are ended first. */
    settled: Effect.callback<void>((resume) => {
      for (const outlet of [...exchanges.streams]) outlet.end()
      if (exchanges.live === 0) return resume(Effect.void)
      // Not from inside the last answer's own callback: what follows closes the server.
      exchanges.emptied = () => later(() => resume(Effect.void))
    }),
    /** Closes every connection there is. */
    close: Effect.sync(() => {
      exchanges.draining = true
      listener = undefined
      app.close()
    })
  }
}

/** The server. */
export type Server = ReturnType<typeof makeServer>
