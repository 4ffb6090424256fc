/**
 * The spans of a command: on the node that was asked, and from its frame to the daemon's answer on the node that has
 * the daemon. Owns their names and attributes; sends nothing.
 */
import { Effect, Exit } from "effect"
import type { Command } from "../domain/command/command.ts"
import { CurrentSpan, type Span } from "./span.ts"
import { traceText } from "./trace-context.ts"
import type { Tracer } from "./tracer.ts"

const within = <A, E>(span: Span, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.onExit(work, (exit) => Effect.sync(() => span.end(Exit.isFailure(exit))))

const about = (span: Span, { daemonId, type }: Command): Span =>
  span.about({ "hub.daemon.id": daemonId, "hub.command.type": type })

/** Sends a command for a request: within its span, where that is traced. */
export const traceCommand =
  <A, E>(send: (asked: Command) => Effect.Effect<A, E>) =>
  (asked: Command): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) => {
      const current = fiber.getRef(CurrentSpan)
      if (current === undefined) return send(asked)
      const span = about(current.child("command"), asked)
      return within(span, send({ ...asked, trace: traceText(span.context) }))
    })

/** Sends a command to a daemon of this node: its frame carries the span that lasts until the answer. */
export const traceFrame = <A, E>(
  tracing: Tracer | undefined,
  asked: Command,
  send: (asked: Command) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const span = asked.trace === undefined ? undefined : tracing?.goOn("frame", "client", asked.trace)
  if (span === undefined) return send(asked)
  return within(about(span, asked), send({ ...asked, trace: traceText(span.context) }))
}
