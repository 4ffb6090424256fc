/**
 * The control socket, by which the command line asks a running hub: a unix socket (0600) in the data folder; one line
 * of JSON asks, one line answers. Owns the transport and its bounds; admin/operations.ts performs the requests.
 */
import { chmodSync, rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { Data, Effect, Exit, FiberSet, Schema, type Scope } from "effect"
import { adminConnectionsMax, adminRequestBytesMax, adminSilenceMillisMax, adminStillMillis } from "../limits/admin.ts"
import { socketPath } from "./control-path.ts"
import { type AdminAnswer, AdminEnvelope, type AdminRequest } from "./requests.ts"

/** The control socket cannot be opened. */
class ControlFailed extends Data.TaggedError("ControlFailed")<{ readonly cause: unknown }> {}

const decode = Schema.decodeUnknownExit(AdminEnvelope)

const readEnvelope = (line: string): AdminEnvelope | undefined => {
  try {
    const read = decode(JSON.parse(line))
    return Exit.isSuccess(read) ? read.value : undefined
  } catch {
    return undefined // not JSON
  }
}

type Perform<R> = (request: AdminRequest) => Effect.Effect<AdminAnswer, never, R>

const notUnderstood: AdminAnswer = {
  ok: false,
  refusal: "the hub that runs does not understand this: is it of another version?"
}
const elsewhere: AdminAnswer = {
  ok: false,
  elsewhere: true,
  refusal: "the hub that runs in this data folder has another database"
}

/** Calls back repeatedly until the returned function is called. */
type Still = (tell: () => void) => () => void

const converse = (socket: Socket, answerTo: (line: string) => Promise<AdminAnswer>, still: Still): void => {
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
    // A blank before the answer tells the client that the hub still works on it.
    const answered = still(() => socket.write(" "))
    answerTo(text.slice(0, end))
      .finally(answered)
      .then(
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

/**
 * Answers on the control socket until the scope closes, for clients that mean this database. The caller holds the lock
 * on the data folder.
 */
export const serveControl = <R>(
  dataDir: string,
  database: string,
  perform: Perform<R>
): Effect.Effect<void, ControlFailed, R | Scope.Scope> =>
  Effect.gen(function* () {
    // The scope interrupts the operations: an export then leaves nothing behind.
    const run = yield* FiberSet.makeRuntimePromise<R>()
    const answerTo = (line: string): Promise<AdminAnswer> => {
      const envelope = readEnvelope(line)
      if (envelope === undefined) return Promise.resolve(notUnderstood)
      if ((envelope.database ?? database) !== database) return Promise.resolve(elsewhere)
      return run(perform(envelope.request))
    }
    const still = (tell: () => void): (() => void) => {
      const repetition = Effect.runFork(
        Effect.forever(Effect.andThen(Effect.sleep(adminStillMillis), Effect.sync(tell)))
      )
      return () => repetition.interruptUnsafe()
    }
    const sockets = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      converse(socket, answerTo, still)
    })
    server.maxConnections = adminConnectionsMax
    const place = yield* Effect.acquireRelease(
      Effect.sync(() => socketPath(dataDir)),
      ({ release }) => Effect.sync(release)
    )
    yield* Effect.acquireRelease(
      Effect.gen(function* () {
        rmSync(place.path, { force: true }) // of an owner that was killed: by the lock no hub listens
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
