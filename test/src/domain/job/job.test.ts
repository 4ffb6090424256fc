/** The rules of a job: when it stops, and which commands it may send. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { mustStop, noTargets } from "../../../../src/domain/job/job.ts"
import { readJobCommand } from "../../../../src/domain/job/job-command.ts"

const rollout = { perMinute: undefined, concurrency: 1, abortAfterFailures: 3 }
const job = { rollout, expiresAt: 1_000 }
const waiting = { ...noTargets, waiting: 1 }

describe("a job", () => {
  it("is aborted by the failures that it allows, whether refused, timed out or lost", () => {
    expect(mustStop(job, { ...waiting, failed: 1, lost: 1 }, 0)).toBeUndefined()
    expect(mustStop(job, { ...waiting, failed: 1, lost: 1, timed_out: 1 }, 0)).toBe("aborted")
    expect(
      mustStop({ ...job, rollout: { ...rollout, abortAfterFailures: undefined } }, { ...waiting, failed: 9 }, 0)
    ).toBe(undefined)
  })

  it("expires at its time, unless all was sent", () => {
    expect(mustStop(job, waiting, 999)).toBeUndefined()
    expect(mustStop(job, waiting, 1_000)).toBe("expired")
    expect(mustStop(job, { ...noTargets, running: 1, failed: 5 }, 1_000)).toBeUndefined()
  })

  it("sends what a single command may be, read by the same rules", () => {
    const terminal = readJobCommand("terminal_exec", { command: "ls", cwd: null, other: 1 })
    expect(Result.getOrThrow(terminal)).toEqual({ type: "terminal_exec", payload: { command: "ls" } })
    const chat = Result.getOrThrow(readJobCommand("send_chat", { message: "hello" }))
    expect(chat.payload["message"]).toBe("hello")
    const paths = (type: string, payload: Readonly<Record<string, unknown>>) => {
      const read = readJobCommand(type, payload)
      return Result.isFailure(read) && read.failure._tag === "ValidationFailed"
        ? read.failure.issues.map(({ path }) => path)
        : undefined
    }
    expect(paths("terminal_exec", { command: 1 })).toEqual(["payload.command"])
    expect(paths("terminal_exec", { command: " " })).toEqual(["payload.command"])
    expect(paths("launch_cli", {})).toEqual(["payload.cliType"])
  })

  it("names no session, no prompt, and no command whose result is a chat", () => {
    for (const [type, payload] of [
      ["screenshot", { targetSessionId: "s1" }],
      ["resolve_action", { action: "approve", promptId: "p1" }],
      ["read_chat", {}],
      ["stop_ide", {}]
    ] as const) {
      expect(Result.isFailure(readJobCommand(type, payload))).toBe(true)
    }
  })
})
