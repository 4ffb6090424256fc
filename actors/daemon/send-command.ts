/**
 * Sends one command to a daemon on this node and waits for its answer. Owns the size bound of the frame and the wait.
 * The daemon actor owns the deadline and the bound on pending commands. Never sends a frame twice.
 */
import { Effect } from "effect"
import type { Command, CommandAnswer } from "../../src/domain/command/command.ts"
import { newId } from "../../src/domain/ids.ts"
import { DaemonSocketLost, Overloaded, PayloadTooLarge } from "../../src/errors.ts"
import { hubFrameBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import { encodeCommand } from "../../src/protocol/codec.ts"
import { sessionLogCapability } from "../../src/protocol/frames.ts"
import type { Unanswered } from "./pending-commands.ts"
import type { Daemon } from "./state.ts"

const utf8BytesMax = 3

/** Whether a text is over a bound of bytes; measured only where its length leaves that open. */
export const isOver = (text: string, bytesMax: number): boolean =>
  text.length > bytesMax || (text.length * utf8BytesMax > bytesMax && Buffer.byteLength(text) > bytesMax)

/**
 * Sends a command and waits at most `waitMs` for its answer. Interrupted, the wait ends and the late result is
 * dropped.
 */
export const sendCommand = (
  daemon: Daemon,
  { type, payload, targetSessionId, trace, allowedMs }: Command,
  waitMs: number,
  now: () => number
): Effect.Effect<CommandAnswer, Unanswered | PayloadTooLarge> =>
  Effect.callback((resume) => {
    const id = newId("command")
    const needs = type === "read_log" ? sessionLogCapability : undefined
    const deadlineMs = Math.min(allowedMs ?? waitMs, waitMs)
    const text = encodeCommand({ id, type, payload, targetSessionId, deadlineMs, waitMs, trace })
    if (isOver(text, hubFrameBytesMax)) {
      return resume(Effect.fail(new PayloadTooLarge({ limit: hubFrameBytesMax })))
    }
    if (!daemon.tell({ tell: "command", id, type, text, deadlineMs: waitMs, waiter: resume, now: now(), needs })) {
      const failure = daemon.gone ? new DaemonSocketLost({}) : new Overloaded({ retryAfter: overloadRetrySeconds })
      return resume(Effect.fail(failure))
    }
    return Effect.sync(() => {
      daemon.tell({ tell: "cancel", id })
    })
  })
