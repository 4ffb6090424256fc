/**
 * The listening server, plain or TLS. Owns the native app and the port, which it shares only with workers of the same
 * hub. mount.ts and daemon-socket.ts decide what happens to a request.
 */

import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js"
import { Effect } from "effect"
import { HeldBytes } from "../../src/domain/limits/held-bytes.ts"
import { UriTooLong } from "../../src/errors.ts"
import { bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax, uriCharsMax } from "../../src/limits.ts"
import { listenFault } from "../../src/runtime/listen-fault.ts"
import type { Cors } from "../pipeline/cors.ts"
import { problem } from "../pipeline/problem.ts"
import { Head, type Headers, headOf, memoize, type Outlet } from "../pipeline/response.ts"
import { BodiesPerTurn } from "./bodies-per-turn.ts"
import { type AddressReader, addressReader } from "./client-address.ts"
import type { OpenConnections } from "./connection-limit.ts"
import { shortTurn } from "./event-loop-turn.ts"
import type { Exchanges, RouteNeeds } from "./exchange-needs.ts"
import { dispositionOf } from "./framing.ts"
import { NativeExchange } from "./native-exchange.ts"
import { uWS } from "./native-part.ts"
import { PausedConnections } from "./paused-connections.ts"
import { takeShare } from "./requests-per-turn.ts"
import { afterTick } from "./tick-flush.ts"
import { UnreadAnswers } from "./unread-answers.ts"

/** Where and how to listen. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  /** Headers of every answer, beside those that the server has. */
  readonly everyAnswer: Headers
  /** Several processes of this host share the port (`--workers`). */
  readonly sharedPort: boolean
}

/** The port could not be bound. */
class PortTaken extends Error {
  override readonly name = "PortTaken"
}
// Removes the library's own response header. The types lack this function; without it the header would be sent.
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

/** The path counts where it is read, and by its parameters elsewhere. */
const targetChars = ({ query, path, parameters }: NativeExchange): number => {
  let chars = query.length + path.length
  for (const one of parameters) chars += one.length
  return chars
}

const serve = (exchange: NativeExchange, handle: (exchange: NativeExchange) => void): void => {
  if (targetChars(exchange) <= uriCharsMax) handle(exchange)
  else exchange.answer(problem(new UriTooLong(), exchange.requestId), true)
}

/** The suites of TLS 1.2: forward secrecy and authenticated encryption. Those of 1.3 are the library's own. */
const suites = "ECDHE+AESGCM:ECDHE+CHACHA20"

/** A browser must not guess another content type from the bytes. */
const nosniff = ["x-content-type-options", "nosniff"] as const

const commonHeadOf = ({ known, headers }: Cors, everyAnswer: Headers): Exchanges["commonHead"] => {
  const headWith = memoize((own: Headers) => new Head(headOf([nosniff, ...everyAnswer, ...own])))
  const plain = headWith(headers(""))
  return known === 0 ? () => plain : (origin) => headWith(headers(origin))
}

const exchangesOf = (cors: Cors, addresses: AddressReader, everyAnswer: Headers): Exchanges => ({
  addresses,
  commonHead: commonHeadOf(cors, everyAnswer),
  crossOrigin: cors.known > 0,
  draining: false,
  live: 0,
  onIdle: () => {},
  bodies: new HeldBytes(bodiesInFlightBytesMax, bodiesInFlightBytesPerOwnerMax),
  answers: new UnreadAnswers(),
  streams: new Set<Outlet>(),
  paused: new PausedConnections<HttpResponse>(),
  bodyTurns: new BodiesPerTurn<HttpResponse>()
})

type Listener = us_listen_socket

/** Binds the port. */
const listenAt = (app: TemplatedApp, { host, port, sharedPort }: Listening) =>
  Effect.callback<Listener, PortTaken>((resume) => {
    const answer = (socket: Listener | false) => {
      if (socket !== false) return resume(Effect.succeed(socket))
      resume(Effect.flatMap(listenFault(host, port), (words) => Effect.fail(new PortTaken(words))))
    }
    // The types lack this form, the library has it: host, port, options, callback.
    const listenOn = app.listen as unknown as (
      host: string,
      port: number,
      options: number,
      answer: (socket: Listener | false) => void
    ) => void
    listenOn.call(app, host, port, sharedPort ? shared : exclusive, answer)
  })

/** The handler of a route: it makes the exchange and serves, refuses or postpones it. */
const handlerOf =
  (exchanges: Exchanges, route: string, wants: RouteNeeds, handle: (exchange: NativeExchange) => void) =>
  (res: HttpResponse, req: HttpRequest): void => {
    // read only where the route does not imply it: reading native memory costs time
    const method = route === "ANY" ? req.getCaseSensitiveMethod() : route
    const exchange = new NativeExchange(res, req, exchanges, method, wants)
    const disposition = dispositionOf(exchange.framed, method, wants.body)
    const hasTurn = takeShare()
    if (disposition === "last") exchange.afterRead(() => serve(exchange, handle), hasTurn)
    else if (disposition !== "served") exchange.refuse(problem(disposition, exchange.requestId))
    else if (hasTurn) serve(exchange, handle)
    else exchange.postpone(() => serve(exchange, handle), wants.body !== undefined)
    exchange.callbackEnded()
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
      ? uWS.SSLApp({ cert_file_name: listening.tlsCert, key_file_name: listening.tlsKey, ssl_ciphers: suites })
      : uWS.App()
  const addresses: AddressReader = addressReader(trustedProxies)
  const exchanges = exchangesOf(cors, addresses, listening.everyAnswer)
  let listener: Listener | undefined
  // the filter does not report upgrades (daemon-socket.ts counts them), and a closed connection has no address any more
  const connected = (res: HttpResponse, change: Number): void => {
    if (change === closing) open.closed()
    else if (!open.opened(() => addresses.single(res))) res.close()
  }
  app.filter(connected)

  const listen = Effect.map(listenAt(app, listening), (socket) => {
    listener = socket
    return uWS.us_socket_local_port(socket)
  })

  return {
    app,
    exchanges,
    /** The connections. */
    open,
    secure: listening.tlsCert !== undefined,
    /** An exchange for a request outside the routes (a refused upgrade). */
    exchange: (res: HttpResponse, req: HttpRequest): NativeExchange =>
      new NativeExchange(res, req, exchanges, "GET", { parameters: 0, headers: [] }),
    /** Serves a path by a method (`ANY`: all remaining methods). */
    route: (method: string, path: string, wants: RouteNeeds, handle: (exchange: NativeExchange) => void): void => {
      app[methods[method as keyof typeof methods]](path, handlerOf(exchanges, method, wants, handle))
    },
    /** Listens and returns the port. */
    listen,
    /** Accepts no new connection from now on; each answer closes its connection. */
    stopAccepting: Effect.andThen(
      // right after a short turn: connections that the system completed by then are accepted instead of reset
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
    /** Ends the streams, then waits until no request is in progress. */
    settled: Effect.callback<void>((resume) => {
      for (const outlet of [...exchanges.streams]) outlet.end()
      if (exchanges.live === 0) return resume(Effect.void)
      // not inside the last answer's own callback: the next step closes the server
      const goOn = (): void => afterTick(() => resume(Effect.void))
      exchanges.onIdle = goOn
    }),
    /** Closes every connection. */
    close: Effect.sync(() => {
      exchanges.draining = true
      listener = undefined
      app.close()
    })
  }
}

export type Server = ReturnType<typeof makeServer>
