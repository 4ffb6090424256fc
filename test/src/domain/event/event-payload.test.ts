/** Payloads are allow-list copies: what the specification does not name never leaves the hub. */
import { describe, expect, it } from "vitest"
import {
  agentStatusPayload,
  connectPayload,
  deliveryBody,
  disconnectPayload,
  relayedPayload,
  testPayload
} from "../../../../src/domain/event/event-payload.ts"
import { type RelayedEvent, relayedEvents } from "../../../../src/domain/event/events.ts"
import { eventTextCharsMax } from "../../../../src/limits/delivery.ts"
import { decodeFrame } from "../../../../src/protocol/codec.ts"
import { fc, forAll } from "../../../support/properties.ts"
import { ide, session, snapshot } from "../../../support/snapshots.ts"

const now = 1_790_000_000_000
const decode = (data: unknown) => {
  const frame = decodeFrame(JSON.stringify({ type: "status_event", data }))
  return frame.type === "status_event" ? frame.data : undefined
}
const known = snapshot([session("s1", { workspace: { name: "shop", path: "/home/me/shop" } })], { daemonId: "dmn_1" })

const reported = (members: object) => {
  const event = decode({ event: "x", timestamp: 5, ...members })
  if (event === undefined) throw new Error("the frame does not fit")
  return event
}

const always = ["daemonId", "daemonType", "event", "timestamp"]
const sometimes = ["targetSessionId", "providerType", "providerSessionId", "workspaceName", "surfaceHidden", "muted"]
const allowed: Record<string, ReadonlyArray<string>> = {
  "agent:generating_started": [],
  "agent:generating_completed": ["duration"],
  "agent:waiting_approval": ["promptId", "modalMessage", "modalButtons"],
  "agent:waiting_choice": ["promptId", "modalMessage", "modalButtons"],
  "agent:stopped": [],
  "monitor:no_progress": ["elapsedSec"]
}

describe("the payload of a relayed event", () => {
  it("has only the members its event may have, whatever the daemon adds anywhere", () => {
    const names = [
      ...sometimes,
      "duration",
      "elapsedSec",
      "promptId",
      "modalMessage",
      "modalButtons",
      "title",
      "messages",
      "secret"
    ]
    const anything = fc.jsonValue({ maxDepth: 3 })
    const extras = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), anything)
    forAll(fc.constantFrom(...relayedEvents), extras, fc.boolean(), (event, extra, target) => {
      const given = decode({ ...extra, event, timestamp: 5, ...(target && { targetSessionId: "s1" }) })
      if (given === undefined) throw new Error("the frame does not fit")
      const payload = relayedPayload(known, event, given, now)
      expect([...always, ...sometimes, ...allowed[event]!]).toEqual(expect.arrayContaining(Object.keys(payload)))
      expect(Object.keys(payload)).toEqual(expect.arrayContaining(always))
      // flat: no member of a member can carry anything
      for (const [name, value] of Object.entries(payload)) {
        if (name === "modalButtons")
          expect((value as Array<unknown>).every((one) => typeof one === "string")).toBe(true)
        else expect(["string", "number", "boolean"]).toContain(typeof value)
      }
    })
  })

  it("leaves them out when the session is not known, and never gives the daemon's kind as provider", () => {
    const payload = relayedPayload(known, "agent:stopped", reported({ targetSessionId: "s9" }), now)
    expect(payload).toEqual({
      daemonId: "dmn_1",
      daemonType: "service-daemon",
      event: "agent:stopped",
      timestamp: 5,
      targetSessionId: "s9"
    })
    const kind = { providerType: "service-daemon" }
    const ofUnknown = reported({ targetSessionId: "s9", ...kind })
    expect(relayedPayload(known, "agent:stopped", ofUnknown, now)).not.toHaveProperty("providerType")
    for (const given of [kind, { targetSessionId: "s1", ...kind }])
      expect(relayedPayload(known, "agent:stopped", reported(given), now)["providerType"]).toBe("codex-cli")
  })

  it("drops a duration that is not a whole number of at least 0", () => {
    const duration = (value: unknown) =>
      relayedPayload(known, "agent:generating_completed", reported({ duration: value }), now)["duration"]
    expect(duration(0)).toBe(0)
    expect(duration(12)).toBe(12)
    for (const value of [-1, 1.5, "12", null, Number.MAX_VALUE, [1]]) expect(duration(value)).toBeUndefined()
  })

  it("carries a duration for agent:generating_completed only, and elapsedSec for monitor:no_progress only", () => {
    const given = reported({ duration: 3, elapsedSec: 4 })
    for (const event of relayedEvents) {
      const payload = relayedPayload(known, event, given, now)
      expect(payload["duration"]).toBe(event === "agent:generating_completed" ? 3 : undefined)
      expect(payload["elapsedSec"]).toBe(event === "monitor:no_progress" ? 4 : undefined)
    }
  })

  it("has from the report what the daemon left out of the prompt, and nothing of another prompt", () => {
    const waiting = session("s1", { activeModal: { promptId: "p1", message: "Go?", buttons: ["Yes", "No"] } })
    const before = snapshot([waiting], { daemonId: "dmn_1" })
    const prompt = (members: object, event: RelayedEvent = "agent:waiting_approval") => {
      const payload = relayedPayload(before, event, reported({ targetSessionId: "s1", ...members }), now)
      return [payload["promptId"], payload["modalMessage"], payload["modalButtons"]]
    }
    const whole = ["p1", "Go?", ["Yes", "No"]]
    expect(prompt({})).toEqual(whole)
    expect(prompt({}, "agent:waiting_choice")).toEqual(whole)
    expect(prompt({ promptId: "p1" })).toEqual(whole)
    expect(prompt({ modalMessage: "Go?" })).toEqual(whole)
    expect(prompt({ modalButtons: ["Y"] })).toEqual(["p1", "Go?", ["Y"]])
    expect(prompt({ promptId: "p2" })).toEqual(["p2", undefined, undefined])
    expect(prompt({ modalMessage: "Stop?" })).toEqual([undefined, "Stop?", undefined])
    expect(prompt({}, "agent:generating_started")).toEqual([undefined, undefined, undefined])
  })

  it("cuts a prompt at 2 KiB without breaking a character", () => {
    const message = (text: string) =>
      relayedPayload(known, "agent:waiting_approval", reported({ modalMessage: text }), now)["modalMessage"] as string
    expect(message("a".repeat(2_048))).toHaveLength(2_048)
    expect(message("a".repeat(2_049))).toHaveLength(2_048)
    expect(message("é".repeat(2_000))).toBe("é".repeat(1_024))
    expect(message(`a${"é".repeat(2_000)}`)).toBe(`a${"é".repeat(1_023)}`)
    expect(message("😀".repeat(600))).toBe("😀".repeat(512))
  })

  it(`cuts any other text at ${eventTextCharsMax} characters without breaking one`, () => {
    const cut = (text: string) =>
      relayedPayload(known, "agent:stopped", reported({ workspaceName: text }), now)["workspaceName"]
    expect(cut("x".repeat(eventTextCharsMax + 1))).toBe("x".repeat(eventTextCharsMax))
    expect(cut(`x${"😀".repeat(eventTextCharsMax)}`)).toBe(`x${"😀".repeat(eventTextCharsMax / 2 - 1)}`)
  })

  it("keeps 12 buttons of 120 characters", () => {
    const given = reported({ modalButtons: [...Array(20).keys()].map((n) => `${n}`.padEnd(200, "x")) })
    const buttons = relayedPayload(known, "agent:waiting_choice", given, now)["modalButtons"] as Array<string>
    expect(buttons).toHaveLength(12)
    expect(buttons.every((label) => label.length === 120)).toBe(true)
    const mixed = reported({ modalButtons: ["yes", 1, null, { label: "no" }, "no"] })
    expect(relayedPayload(known, "agent:waiting_choice", mixed, now)["modalButtons"]).toEqual(["yes", "no"])
  })

  it("says when the daemon observed it, in whole milliseconds, or when it came", () => {
    expect(relayedPayload(known, "agent:stopped", reported({ timestamp: null }), now)["timestamp"]).toBe(now)
    expect(relayedPayload(known, "agent:stopped", reported({ timestamp: 7.9 }), now)["timestamp"]).toBe(7)
    expect(relayedPayload(known, "agent:stopped", reported({ timestamp: -7 }), now)["timestamp"]).toBe(now)
  })
})

describe("an event that leaves out what the report says of its session", () => {
  const inside = session("in", { parentId: "w", transport: "cdp-webview", providerType: "cline", surfaceHidden: true })
  const cli = session("c", {
    providerSessionId: "conv-1",
    surfaceHidden: false,
    muted: true,
    workspace: { name: "shop", path: "/home/me/shop" }
  })
  const other = session("c2", { providerSessionId: "conv-2" })
  const busy = snapshot([ide("w", { workspace: { name: "app", path: "/src/app" } }), inside, cli, other])
  const payload = (given: object, from = busy) => relayedPayload(from, "agent:stopped", reported(given), now)

  it("has it filled in: provider, conversation, directory, and whether it is hidden or muted", () => {
    expect(payload({ targetSessionId: "c" })).toMatchObject({
      providerType: "codex-cli",
      providerSessionId: "conv-1",
      workspaceName: "/home/me/shop",
      surfaceHidden: false,
      muted: true
    })
    expect(payload({ targetSessionId: "c2" })).toMatchObject({ surfaceHidden: false, muted: false })
  })
  it("keeps what its daemon said itself", () => {
    const own = { targetSessionId: "c", providerSessionId: "mine", surfaceHidden: true, muted: false }
    expect(payload(own)).toMatchObject(own)
  })
  it.each([
    ["the only agent of its type", { providerType: "cline" }, "in"],
    ["the only one of its conversation", { providerSessionId: "conv-2", providerType: "codex-cli" }, "c2"],
    ["no session where several may be meant", { providerType: "codex-cli" }, undefined],
    ["no session where none is", { providerType: "goose" }, undefined],
    ["no session where nothing is said and there are several", {}, undefined],
    ["the session it names, known or not", { targetSessionId: "gone", providerType: "cline" }, "gone"]
  ])("means %s", (_, given, target) => expect(payload(given)["targetSessionId"]).toBe(target))
  it("means the only agent there is", () => {
    expect(payload({ targetSessionId: "" }, snapshot([cli]))).toMatchObject({ targetSessionId: "c", muted: true })
    expect(payload({}, snapshot([ide("w"), inside]))["targetSessionId"]).toBe("in")
  })
})

describe("the hub's own payloads", () => {
  const daemon = {
    daemonId: "d",
    daemonType: "service-daemon",
    hostname: "host",
    nickname: "",
    platform: "linux",
    version: "1.0.0",
    timestamp: now
  }

  it("daemon:connect says which daemon came", () => expect(connectPayload(snapshot([]), now)).toEqual(daemon))

  it("daemon:disconnect says which went, why and after how long", () => {
    expect(disconnectPayload(snapshot([]), "timeout", 1_234.5, now)).toEqual({
      ...daemon,
      reason: "timeout",
      connectedMs: 1_234
    })
  })

  it("agent:status lists what changed", () => {
    const change = {
      targetSessionId: "s1",
      providerType: "codex-cli",
      workspaceName: undefined,
      status: "idle",
      previousStatus: "generating"
    }
    expect(agentStatusPayload("d", [change], now)).toEqual({
      daemonId: "d",
      daemonType: "service-daemon",
      timestamp: now,
      agents: [{ targetSessionId: "s1", providerType: "codex-cli", status: "idle", previousStatus: "generating" }]
    })
  })

  it("webhook:test names the webhook", () =>
    expect(Object.keys(testPayload("whk_1", now))).toEqual(["webhookId", "message", "timestamp"]))

  it("make a body of event, payload and timestamp", () => {
    expect(JSON.parse(deliveryBody("daemon:connect", daemon, 9))).toEqual({
      event: "daemon:connect",
      payload: daemon,
      timestamp: 9
    })
  })
})
