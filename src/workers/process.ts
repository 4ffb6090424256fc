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
import { Ask, type Message, Serving, Told } from "./messages.ts"
import type { Launch, WorkerEnd } from "./worker.ts"

/** The port could not be had. */
class WorkersPortTaken extends Data.TaggedError("WorkersPortTaken")<{ readonly sentence: string }> {}

const program = fileURLToPath(new URL("../main.ts", import.meta.url))
const isServing = Schema.is(Serving)
const isAsk = Schema.is(Ask)
const isTold = Schema.is(Told)

const tell = (child: ChildProcess, message: Message): void => {
  // A process that has ended needs no order.
  if (child.connected) child.send(message, () => undefined)
}

/** Asks one child for its metrics. Its askers are as few as the scrapes under way, which have a bound. */
const metricsOf = (child: ChildProcess): Effect.Effect<string> => {
  const askers = new Map<number, (metrics: string) => void>()
  let asked = 0
  child.on("message", (message) => {
    if (!isTold(message)) return
    askers.get(message.id)?.(message.metrics)
    askers.delete(message.id)
  })
  return Effect.callback((resume) => {
    const id = ++asked
    askers.set(id, (metrics) => resume(Effect.succeed(metrics)))
    tell(child, { ask: "metrics", id })
    return Effect.sync(() => askers.delete(id))
  })
}

/** Answers a worker that asks for the metrics of all. */
const answerAsks = (child: ChildProcess, metricsOfAll: Effect.Effect<string>): void => {
  child.on("message", (message) => {
    if (!isAsk(message)) return
    Effect.runFork(Effect.map(metricsOfAll, (metrics) => tell(child, { metrics, id: message.id })))
  })
}

/**
 * Starts workers on this port. What they write goes where this process writes. `metricsOfAll` is what a worker is told
 * that asks for it.
 */
export const launchOn =
  (port: number, metricsOfAll: Effect.Effect<string>): Launch =>
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
      answerAsks(child, metricsOfAll)
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
        metrics: metricsOf(child),
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
