/** The lists of the console: what events change in that of daemons, and the bounds of all. */
import { describe, expect, it } from "vitest"
import { agoWords, byteWords, durationWords } from "../../../../console/src/components/time-words.ts"
import { daemonsShownMax, outputCharsMax, rowsShownMax } from "../../../../console/src/limits.ts"
import { afterOutput, noOutput, withText } from "../../../../console/src/state/command-output.ts"
import {
  afterEvent,
  bringsUnknown,
  type Daemon,
  tagWords,
  withFirstPage
} from "../../../../console/src/state/daemon-list.ts"
import { joined } from "../../../../console/src/state/joined-pages.ts"
import type { HubEvent } from "../../../../console/src/state/live-events.ts"

const daemon = (id: string, more: Partial<Daemon> = {}): Daemon => ({
  id,
  hostname: id,
  nickname: "",
  platform: "linux",
  version: "1.0.0",
  tags: {},
  online: false,
  cdpConnected: false,
  connectedAt: null,
  lastSeenAt: null,
  ides: [],
  clis: [],
  acps: [],
  ...more
})
const facts = { hostname: "h", nickname: "Nick", platform: "linux", version: "2.0.0" }
const connect = (daemonId: string): HubEvent => ({
  event: "daemon:connect",
  timestamp: 7,
  payload: { daemonId, daemonType: "daemon", timestamp: 7, ...facts } as never
})
const disconnect = (daemonId: string): HubEvent => ({
  event: "daemon:disconnect",
  timestamp: 9,
  payload: { daemonId, timestamp: 9, ...facts, reason: "closed", connectedMs: 2 } as never
})

describe("the list of daemons", () => {
  it("has those online first, then by name", () => {
    const all = [connect("c"), connect("b"), connect("a"), disconnect("b")].reduce(
      (list, event) => afterEvent(list, { ...event, payload: { ...event.payload, nickname: "" } } as HubEvent),
      [] as ReadonlyArray<Daemon>
    )
    expect(all.map(({ id }) => id)).toEqual(["a", "c", "b"])
  })

  it("follows what comes and goes, new ones too, without asking", () => {
    const online = afterEvent([daemon("a")], connect("a"))
    expect(online).toMatchObject([{ id: "a", online: true, nickname: "Nick", connectedAt: 7 }])
    expect(afterEvent(online, disconnect("a"))).toMatchObject([{ online: false, lastSeenAt: 9 }])
    expect(afterEvent(online, connect("new")).map(({ id }) => id)).toEqual(["a", "new"])
    expect(afterEvent(online, { event: "agent:status", payload: { daemonId: "a" } } as HubEvent)).toBe(online)
  })

  it("knows which event brings a daemon that it has not, whose tags the event does not say", () => {
    const list = [daemon("a")]
    expect([connect("a"), connect("new"), disconnect("new")].map((event) => bringsUnknown(list, event))).toEqual([
      false,
      true,
      false
    ])
  })

  it("leaves a daemon where it is in a list whose order only the hub knows, and adds none", () => {
    const list: ReadonlyArray<Daemon> = [daemon("b"), daemon("a")]
    const after = [connect("a"), connect("new")].reduce((all, event) => afterEvent(all, event, "by hub"), list)
    expect(after.map(({ id, online }) => [id, online])).toEqual([
      ["b", false],
      ["a", true]
    ])
  })

  it.each([
    ["one that comes first", "abcd", "nab", "nabcd"],
    ["one that has left", "abcd", "bc", "bcd"],
    ["one that comes up from behind", "abcd", "dab", "dabc"],
    ["one that was online, and the event of whose end is to come", "aBcd", "ac", "acBd"],
    ["one that was online, in the order of the hub", "aBcd", "ac", "acd", "by hub"],
    ["what is all new", "abcd", "xy", "xy"]
  ] as const)("keeps what is shown behind its first page when that is read anew: %s", (...row) => {
    const [, shown, page, after, order = "by event"] = row
    const of = (ids: string) => [...ids].map((id) => daemon(id, { online: /[A-Z]/u.test(id) }))
    expect(withFirstPage(of(shown), of(page), order).map(({ id }) => id)).toEqual([...after])
  })

  it("writes tags as a selector names them", () => expect(tagWords({ env: "prod", gpu: "" })).toBe("env=prod, gpu"))

  it(`holds ${daemonsShownMax}`, () => {
    const many = Array.from({ length: daemonsShownMax }, (_, at) => daemon(`d${at}`, { online: true }))
    expect(afterEvent(many, connect("one more"))).toHaveLength(daemonsShownMax)
  })
})

it(`a list that comes in pages holds ${rowsShownMax} rows, and asks for no page behind them`, () => {
  const page = { rows: Array.from({ length: rowsShownMax - 1 }, (_, at) => at), next: "behind" }
  const first = joined(undefined, page)
  expect(first.next).toBe("behind")
  const second = joined(first, page)
  expect([second.rows.length, second.next]).toEqual([rowsShownMax, undefined])
})

it("the output of a command has no codes for a terminal", () =>
  expect(withText(noOutput, "\u001b[31mred\u001b[0m \u001b]0;title\u0007done\r\n").text).toBe("red done\n"))

it(`the output of a command holds the last ${outputCharsMax} characters, and says so`, () => {
  const piece = { seq: 1, timestamp: 1, type: "output", stream: "stdout", text: "y".repeat(outputCharsMax) }
  const output = afterOutput(withText(noOutput, "x"), piece)
  expect([output.text.length, output.text[0], output.cut]).toEqual([outputCharsMax, "y", true])
  expect(afterOutput(output, { seq: 2, timestamp: 1, type: "exit", exitCode: 0 })).toBe(output)
})

it.each([
  [agoWords(0, 30_000), "just now"],
  [agoWords(0, 150_000), "2 min. ago"],
  [agoWords(7_200_000, 0), "in 2 hr."],
  [agoWords(90 * 86_400_000 - 5_000, 0), "in 90 days"],
  [agoWords(365 * 86_400_000 - 5_000, 0), "in 12 mo."],
  [durationWords(12), "12 ms"],
  [durationWords(1_500), "1.5 s"],
  [durationWords(61_000), "1 min 1 s"],
  [durationWords(999.7), "1.0 s"],
  [durationWords(59_990), "1 min 0 s"],
  [durationWords(119_700), "2 min 0 s"],
  [byteWords(0), "0 bytes"],
  [byteWords(1_536), "1.5 KiB"],
  [byteWords(1_073_741_824), "1.0 GiB"]
])("words for amounts say %s", (said, wanted) => expect(said).toBe(wanted))
