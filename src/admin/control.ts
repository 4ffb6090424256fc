/**
 * The control socket: how the command line asks a hub that runs. A unix socket (0600) in the data folder; one line of JSON
 * asks, one line answers. Owns the carrying and its bounds; what is asked is performed elsewhere (admin/operations.ts).
 */
import { chmodSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { Data, Effect, Exit, Schema, type Scope } from "effect"
import { adminConnectionsMax, adminRequestBytesMax, adminSilenceMillisMax } from "../limits/admin.ts"
import { socketPath } from "./path.ts"
import { type AdminAnswer, AdminRequest } from "./requests.ts"

/** The control socket cannot be opened. */
export class ControlFailed extends Data.TaggedError("ControlFailed")<{ readonly cause: unknown }> {}

const decode = Schema.decodeUnknownExit(AdminRequest)

const readRequest = (line: string): AdminRequest | undefined => {
  try {
    const read = decode(JSON.parse(line))
    return Exit.isSuccess(read) ? read.value : undefined
  } catch {
    return undefined // not JSON
  }
}

type Perform<R> = (request: AdminRequest) => Effect.Effect<AdminAnswer, never, R>
type Run = (effect: Effect.Effect<AdminAnswer>) => Promise<AdminAnswer>

const notUnderstood: AdminAnswer = {
  ok: false,
  refusal: "the hub that runs does not understand this: is it of another version?"
}

const converse = (socket: Socket, answerTo: (request: AdminRequest) => Promise<AdminAnswer>): void => {
  let text = ""
  let asked = false
  socket.setEncoding("utf8")
  socket.setTimeout(adminSilenceMillisMax, () => socket.destroy())
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: string) => {
    if (asked) return
    text += chunk
    if (text.length > adminRequestBytesMax) return void socket.destroy()
    const end = text.indexOf("\n")
    if (end < 0) return
    asked = true
    const request = readRequest(text.slice(0, end))
    const answer = request === undefined ? Promise.resolve(notUnderstood) : answerTo(request)
    answer.then(
      (given) => socket.end(`${JSON.stringify(given)}\n`),
      () => socket.destroy()
    )
  })
}

const listen = (server: Server, path: string): Effect.Effect<void, ControlFailed> =>
  Effect.callback((resume) => {
    server.once("error", (cause) => resume(Effect.fail(new ControlFailed({ cause }))))
    server.listen(path, () => resume(Effect.void))
  })

/** Answers on the control socket until the scope closes. Whoever calls this holds the lock on the data folder. */
export const serveControl = <R>(
  dataDir: string,
  perform: Perform<R>
): Effect.Effect<void, ControlFailed, R | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const run: Run = Effect.runPromise
    const sockets = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      converse(socket, (request) => run(Effect.provideContext(perform(request), context)))
    })
    server.maxConnections = adminConnectionsMax
    const place = yield* Effect.acquireRelease(
      Effect.sync(() => socketPath(dataDir)),
      ({ release }) => Effect.sync(release)
    )
    yield* Effect.acquireRelease(
      Effect.gen(function* () {
        rmSync(place.path, { force: true }) // of an owner that was killed: the lock says nobody listens
        yield* listen(server, place.path)
        chmodSync(place.path, 0o600)
      }),
      () =>
        Effect.callback<void>((resume) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => resume(Effect.void))
        })
    )
  })
