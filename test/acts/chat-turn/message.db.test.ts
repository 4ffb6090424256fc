/** Turns in one call, over a whole hub under virtual time and a daemon whose every frame the test decides. */
import { describe, expect, it } from "vitest"
import { agentWaitSecondsMax } from "../../../src/limits/agent-waits.ts"
import {
  knownDaemon,
  type Mine,
  pending,
  prompt,
  said,
  say,
  shortcut,
  show,
  take,
  user,
  watched
} from "../../support/agent-waits.ts"
import { inTurn, reported } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const connected = (): Promise<Mine> => knownDaemon(hub)

/** A turn that the daemon has taken; its agent is at work. */
const begun = async (query: string) => {
  const mine = await connected()
  const answer = say(mine, query)
  ;(await take(mine.peer, "send_chat")).succeed({ messageId: "m1" })
  await show(mine, "generating")
  return { mine, answer }
}

describe("a turn in one call", () => {
  given(connected)("is answered when the agent is idle again, with what it said since", async (mine) => {
    const answer = say(mine, "?wait=idle")
    const send = await take(mine.peer, "send_chat")
    expect(send.payload.message).toBe("go")
    send.succeed({ messageId: "m1" })
    await show(mine, "generating")
    expect(await pending(answer)).toBe(true)
    await show(mine, "idle")
    const read = await take(mine.peer, "read_chat")
    expect(read).toMatchObject({ payload: {}, targetSessionId: "s1" })
    read.succeed({ messages: [{ role: "user", text: "earlier" }, user, said], status: "idle" })
    const { status, body } = await answer
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      timedOut: false,
      status: "idle",
      messages: [said],
      version: expect.any(String),
      result: { messageId: "m1" },
      commandId: send.id,
      durationMs: expect.any(Number)
    })
    expect(await watched(hub, mine.daemonId)).toBe(0)
  })

  it("is answered with the approval that it awaits, which binds the approval", async () => {
    const { mine, answer } = await begun("?wait=approval")
    await show(mine, "waiting_approval", { activeModal: prompt })
    ;(await take(mine.peer, "read_chat")).succeed({ messages: [user], status: "waiting_approval", activeModal: prompt })
    const { body } = await answer
    expect(body).toMatchObject({ timedOut: false, status: "waiting_approval", activeModal: prompt, messages: [] })
    const stale = await mine.post(shortcut(mine, "approve"), { action: "approve", promptId: "p0" })
    expect(stale).toMatchObject({ status: 409, body: { reason: "PROMPT_CHANGED" } })
  })

  it("is answered with an approval that the hub named where its daemon gives no names", async () => {
    const { mine, answer } = await begun("?wait=approval")
    const { promptId: _, ...activeModal } = prompt
    await show(mine, "waiting_approval", { activeModal })
    ;(await take(mine.peer, "read_chat")).succeed({ messages: [user], status: "waiting_approval", activeModal })
    const { promptId, ...seen } = (await answer).body.activeModal
    expect([promptId, seen]).toEqual([expect.stringMatching(/^hub-/u), expect.objectContaining(activeModal)])
    await show(mine, "waiting_approval", { activeModal: { ...activeModal, message: "Run `rm`?" } })
    const unseen = await mine.post(shortcut(mine, "approve"), { action: "approve", promptId })
    expect(unseen).toMatchObject({ status: 409, body: { reason: "PROMPT_CHANGED" } })
  })

  it("is answered 200 with timedOut, and what was said so far, when the time is over", async () => {
    const { mine, answer } = await begun("?wait=idle&timeoutSeconds=99999")
    const step = 10
    for (let passed = step; passed < agentWaitSecondsMax; passed += step) {
      await hub.advance(step * 1_000)
      await show(mine, "generating")
    }
    expect(await pending(answer)).toBe(true)
    await hub.advance(step * 1_000 + 100)
    ;(await take(mine.peer, "read_chat")).succeed({ messages: [user, said], status: "generating" })
    const { status, body } = await answer
    expect([status, body.timedOut, body.status, body.messages]).toEqual([200, true, "generating", [said]])
    expect(await watched(hub, mine.daemonId)).toBe(0)
  })

  given(() => begun("?wait=idle"))("goes on through a reconnect of the daemon", async ({ mine, answer }) => {
    await mine.peer.cut()
    const again = await mine.connect({ report: [reported("s1", { status: "idle" })] })
    ;(await take(again, "read_chat")).succeed({ messages: [user, said], status: "idle" })
    expect((await answer).body).toMatchObject({ timedOut: false, status: "idle", messages: [said] })
  })

  given(() => begun("?wait=idle"))("ends in an error when the session is gone", async ({ mine, answer }) => {
    mine.peer.report([])
    const { body } = await answer
    expect([body.success, body.timedOut, body.status, "messages" in body]).toEqual([true, false, "error", false])
  })

  given(connected)("is answered with the daemon's refusal at once", async (mine) => {
    const answer = say(mine, "?wait=idle")
    ;(await take(mine.peer, "send_chat")).refuse("It is busy.", "agent_busy")
    expect(await answer).toMatchObject({ status: 200, body: { success: false, daemonCode: "agent_busy" } })
  })

  it("finds its messages in a chat that is too large for the event loop", async () => {
    const { mine, answer } = await begun("?wait=idle")
    await show(mine, "idle")
    const before = Array.from({ length: 100 }, (_, at) => ({
      id: `o${at}`,
      role: "assistant",
      text: "x".repeat(1_000)
    }))
    ;(await take(mine.peer, "read_chat")).succeed({ messages: [...before, user, said], status: "idle" })
    expect((await answer).body).toMatchObject({ timedOut: false, status: "idle", messages: [said] })
  })

  it("whose message is not taken in time is a 504, unless its agent is seen at work", async () => {
    const [quiet, busy] = [await connected(), await connected()]
    const answers = [quiet, busy].map((mine) => say(mine, "?wait=idle&timeoutSeconds=12"))
    await take(quiet.peer, "send_chat")
    const { id } = await take(busy.peer, "send_chat")
    await show(busy, "generating")
    let answered = false
    void Promise.all(answers).then(() => {
      answered = true
    })
    await hub.advance(12_000)
    // a timed-out call waits for the row of its late result, which takes no virtual time
    await until("both are answered", async () => {
      await hub.advance(100)
      return answered
    })
    expect(await answers[0]).toMatchObject({ status: 504, body: { reason: "COMMAND_TIMEOUT" } })
    expect(await answers[1]).toMatchObject({
      status: 200,
      body: { timedOut: true, status: "generating", commandId: id }
    })
  })

  given(connected)("needs agent:read beside agent:control, and sends nothing without it", async (mine) => {
    const key = await mine.account.key(["agent:control"])
    const path = shortcut(mine, "chat?wait=idle")
    expect(await hub.request("POST", path, { key, body: { message: "go" } })).toMatchObject({
      status: 403,
      body: { reason: "AUTH_FORBIDDEN", requiredScope: "agent:read" }
    })
    await inTurn(mine.peer)
    expect(mine.peer.frames.filter(({ type }) => type === "command")).toEqual([])
  })

  given(connected)("keeps nothing of what was said under an Idempotency-Key", async (mine) => {
    const headers = { "idempotency-key": "one-turn" }
    const ask = () =>
      hub.request("POST", shortcut(mine, "chat?wait=approval"), { key: mine.key, headers, body: { message: "go" } })
    const answer = ask()
    ;(await take(mine.peer, "send_chat")).succeed({ messageId: "m1" })
    await show(mine, "waiting_approval", { activeModal: prompt })
    ;(await take(mine.peer, "read_chat")).succeed({ messages: [user, said], status: "waiting_approval" })
    expect((await answer).body).toMatchObject({ messages: [said], activeModal: prompt })
    const again = await ask()
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect([again.body.status, again.body.messages, again.body.activeModal]).toEqual([
      "waiting_approval",
      undefined,
      undefined
    ])
  })

  it.each(["?wait=done", "?wait=idle&timeoutSeconds=0", "?wait=idle&timeoutSeconds=x", "?wait=idle&timeoutSeconds="])(
    "answers 400 to %s",
    async (query) => {
      const mine = await connected()
      expect(await say(mine, query)).toMatchObject({ status: 400, body: { reason: "VALIDATION_FAILED" } })
    }
  )
})
