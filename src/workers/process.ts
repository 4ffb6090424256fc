/**
 * Workers as processes of this machine, on one port. Owns their start, their channel and the check whether the port is
 * free; when to start and end them is supervisor.ts's.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { Data, Deferred, Effect, Schema } from "effect"
import { environmentWithPort } from "../config.ts"
import { listenSentence } from "../runtime/listen-fault.ts"
import { type End, Serving } from "./messages.ts"
import type { Launch, WorkerEnd } from "./worker.ts"

/** The port could not be had. */
class WorkersPortTaken extends Data.TaggedError("WorkersPortTaken")<{ readonly sentence: string }> {}

const program = fileURLToPath(new URL("../main.ts", import.meta.url))
const isServing = Schema.is(Serving)

const tell = (child: ChildProcess, message: typeof End.Type): void => {
  // A process that has ended needs no order.
  if (child.connected) child.send(message, () => undefined)
}

/** Starts workers on this port. What they write goes where this process writes. */
export const launchOn =
  (port: number): Launch =>
  (number) =>
    Effect.sync(() => {
      const serving = Deferred.makeUnsafe<string>()
      const ended = Deferred.makeUnsafe<WorkerEnd>()
      const child = spawn(process.execPath, [...process.execArgv, program, "worker", String(number)], {
        env: environmentWithPort(port),
        stdio: ["ignore", "inherit", "inherit", "ipc"]
      })
      child.on("message", (message) => {
        if (isServing(message)) Deferred.doneUnsafe(serving, Effect.succeed(message.serving))
      })
      child.on("exit", (code, signal) => Deferred.doneUnsafe(ended, Effect.succeed({ code, signal })))
      child.on("error", (error) => {
        // A fault of the channel is followed by an exit; one of the start is not.
        if (child.pid !== undefined) return
        Deferred.doneUnsafe(ended, Effect.succeed({ code: null, signal: null, fault: error.message }))
      })
      return {
        number,
        pid: child.pid,
        serving: Deferred.await(serving),
        ended: Deferred.await(ended),
        end: (replaced) => Effect.sync(() => tell(child, { order: "end", replaced })),
        kill: Effect.sync(() => void child.kill("SIGKILL"))
      }
    })

/**
 * The port that the workers will share: it is free now (a shared port would be shared with any other process of the
 * same user, too). `0` lets the system choose.
 */
export const freePort = (host: string, port: number): Effect.Effect<number, WorkersPortTaken> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (cause) => {
      resume(Effect.fail(new WorkersPortTaken({ sentence: listenSentence(host, port, cause) })))
    })
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      const found = typeof address === "object" && address !== null ? address.port : port
      server.close(() => resume(Effect.succeed(found)))
    })
  })
