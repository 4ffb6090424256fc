/** The daemon's plain rules: when it comes back, how fast it sends, what it keeps, which agents it has. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { afterClose, backoffMillis } from "../../daemon/backoff.ts"
import { commandMillis } from "../../daemon/command-time.ts"
import { chatText } from "../../daemon/commands.ts"
import { Events } from "../../daemon/events.ts"
import { Pace } from "../../daemon/frame-pace.ts"
import { socketUrl } from "../../daemon/hub-address.ts"
import { eventsMax, messageCharactersMax, messagesMax, providersMax, terminalMillisMax } from "../../daemon/limits.ts"
import { line, sentence } from "../../daemon/log.ts"
import { writeState } from "../../daemon/machine-state.ts"
import { readOptions } from "../../daemon/main.ts"
import { parseProviders } from "../../daemon/providers.ts"
import { Transcript } from "../../daemon/transcript.ts"
import { close } from "../../src/protocol/close.ts"
import { fc, forAll } from "../support/properties.ts"
import { testFolder } from "../support/temporary-folder.ts"

describe("after a close the daemon", () => {
  it.each(Object.values(close))("follows the table of the protocol on $code ($name)", ({ code, reconnect }) =>
    expect(afterClose(code) === undefined).toBe(reconnect !== "never")
  )
  it.each([1005, 1006, 1011, 4999])("comes back on %i, which the table does not have", (code) =>
    expect(afterClose(code)).toBeUndefined()
  )
  it("waits anything from nothing up to a step that doubles from 1 s to 60 s", () => {
    const steps = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
    expect(steps.map((_, attempt) => backoffMillis(attempt, () => 0.999_999_9))).toEqual(steps.map((step) => step - 1))
    expect(backoffMillis(5, () => 0)).toBe(0)
    forAll(fc.nat(5_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, chance) => {
      const millis = backoffMillis(attempt, () => chance)
      return millis >= 0 && millis < 60_000
    })
  })
})

describe("the daemon's pace", () => {
  it("never sends more than its share of the hub's limit in any 10 s", () =>
    forAll(fc.array(fc.nat(400), { maxLength: 400 }), (gaps) => {
      const pace = new Pace(100)
      const times: Array<number> = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        if (pace.take(now)) times.push(now)
        else expect(pace.wait(now)).toBeGreaterThan(0)
      }
      return times.every((time) => times.filter((one) => one > time - 10_000 && one <= time).length <= 70)
    }))
  it("has places to spare until half of them are taken", () => {
    const pace = new Pace(10)
    const spare = [1, 2, 3, 4, 5].map((now) => [pace.spare(now), pace.take(now)][0])
    expect([...spare, pace.spare(10_000), pace.spare(10_002)]).toEqual([true, true, true, true, false, false, true])
  })
  it("has a place again exactly when it says so", () => {
    const pace = new Pace(2)
    expect([pace.take(5), pace.take(6)]).toEqual([true, false])
    expect(pace.take(5 + pace.wait(5))).toBe(true)
  })
})

describe("events that wait for their acknowledgement", () => {
  const event = (timestamp: number) => ({ event: "agent:stopped", timestamp })
  it("go out once a connection, in order, each under an id of its own", () => {
    const events = new Events()
    events.add(event(1))
    events.add(event(2))
    const first = events.next()!
    events.sent(first.id)
    expect([first.timestamp, events.next()?.timestamp]).toEqual([1, 2])
    expect(events.next()?.id).not.toBe(first.id)
  })
  it("go out again on the next connection under the same id, except what was acknowledged", () => {
    const events = new Events()
    for (const timestamp of [1, 2, 3]) events.add(event(timestamp))
    const ids: Array<string> = []
    for (let one = events.next(); one !== undefined; one = events.next()) {
      ids.push(one.id)
      events.sent(one.id)
    }
    events.acknowledged([ids[1]!, "evt_unknown"])
    events.again()
    expect(events.next()?.id).toBe(ids[0])
    events.sent(ids[0]!)
    expect(events.next()?.id).toBe(ids[2])
  })
  it("are bounded: the oldest is forgotten", () => {
    const events = new Events()
    for (let at = 0; at <= eventsMax; at++) events.add(event(at))
    expect([events.size, events.next()?.timestamp]).toEqual([eventsMax, 1])
  })
})

it("a transcript joins the pieces of one answer and begins a new one after each question", () => {
  const chat = new Transcript()
  chat.add("user", "a", 1)
  const id = chat.stream(undefined, "b", 2)
  chat.stream(id, "c", 3)
  chat.add("user", "d", 4)
  chat.stream(id, "e", 5)
  expect(chat.messages.map(({ role, text }) => `${role} ${text}`)).toEqual([
    "user a",
    "assistant bc",
    "user d",
    "assistant e"
  ])
})
it("a transcript keeps the newest messages within its bounds and counts the others", () => {
  const chat = new Transcript()
  for (let at = 0; at < messagesMax + 3; at++) chat.add("user", String(at), at)
  expect([chat.messages.length, chat.dropped, chat.messages[0]?.text]).toEqual([messagesMax, 3, "3"])
  const long = new Transcript()
  for (let at = 0; at < 6; at++) long.add("user", "x".repeat(messageCharactersMax + 9), at)
  long.stream(undefined, "y".repeat(2 * messageCharactersMax), 9)
  expect(long.messages.every(({ text }) => text.length <= messageCharactersMax)).toBe(true)
  expect(long.messages.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(1_000_000)
  expect(long.messages.at(-1)?.text.startsWith("y")).toBe(true)
})

describe("the providers file", () => {
  const good = { type: "my-agent", category: "acp", command: "./agent", args: ["--acp"] }
  it("names each agent with its type, category, command and arguments", () =>
    expect(parseProviders(JSON.stringify([good]), "/etc")).toEqual([
      { ...good, displayName: "my-agent", from: "/etc" }
    ]))
  it.each([
    ["no JSON", "{", /is not JSON/u],
    ["no list", "{}", /must be a list/u],
    ["a number", "[1]", /entry 1: must be an object/u],
    ["a type with capitals", JSON.stringify([{ ...good, type: "A B" }]), /entry 1: `type`/u],
    ["a category of its own", JSON.stringify([good, { ...good, category: "ide" }]), /entry 2: `category`/u],
    ["no command", JSON.stringify([{ ...good, command: "" }]), /`command` is missing/u],
    ["arguments that are no texts", JSON.stringify([{ ...good, args: [1] }]), /`args` must be/u],
    ["an empty display name", JSON.stringify([{ ...good, displayName: "" }]), /`displayName`/u],
    ["a type twice", JSON.stringify([good, good]), /names `my-agent` twice/u],
    ["too many", JSON.stringify(Array.from({ length: providersMax + 1 }, () => good)), /more than 64/u]
  ])("with %s is refused in words", (_, text, words) => expect(() => parseProviders(text, "/")).toThrow(words))
})

describe("the daemon's options", () => {
  it.each([
    ["http://127.0.0.1:8080", "ws://127.0.0.1:8080/api/v1/daemons/connect"],
    ["http://[::1]:8080", "ws://[::1]:8080/api/v1/daemons/connect"],
    ["https://hub.example/base/", "wss://hub.example/base/api/v1/daemons/connect"],
    ["wss://hub.example/api/v1/daemons/connect", "wss://hub.example/api/v1/daemons/connect"]
  ])("find the socket of %s", (url, socket) => expect(socketUrl(url)).toBe(socket))
  it("need no token and no key where the machine has joined", () => {
    const folder = testFolder("joined")
    const url = "ws://hub.example/api/v1/daemons/connect"
    writeState(join(folder, "hub", "daemon.json"), { url, machineId: "m", token: "hubd_x" })
    const options = readOptions(["--url", "http://hub.example"], { XDG_STATE_HOME: folder })
    expect(options).toMatchObject({ joinBy: { key: undefined }, token: "" })
  })

  it("refuse another protocol, a missing address, a missing token and an unknown option", () => {
    expect(() => socketUrl("ftp://x")).toThrow(/--url must begin/u)
    expect(() => socketUrl("x")).toThrow("--url is no address: x")
    expect(() => readOptions([])).toThrow("--url is missing")
    expect(() => readOptions(["--url", "http://x"], {})).toThrow("--token-file, --token or HUB_TOKEN is missing")
    expect(() => readOptions(["--nonsense"])).toThrow(/nonsense/u)
  })
})

describe("a secret of the daemon", () => {
  const file = (text: string) => {
    const path = join(testFolder("secret"), "token")
    writeFileSync(path, text)
    return path
  }
  const places: ReadonlyArray<readonly [string, (secret: string) => readonly [Array<string>, Record<string, string>]]> =
    [
      ["HUB_TOKEN", (secret) => [[], { HUB_TOKEN: secret }]],
      ["--token", (secret) => [["--token", secret], {}]],
      ["--token-file", (secret) => [["--token-file", file(secret)], {}]],
      ["HUB_JOIN_KEY", (secret) => [[], { HUB_JOIN_KEY: secret }]],
      ["--join", (secret) => [["--join", secret], {}]]
    ]
  const read = (given: (typeof places)[number][1], secret: string) => {
    const [args, environment] = given(secret)
    return readOptions(["--url", "http://x", ...args], environment)
  }
  it.each(places)("of %s is trimmed, and refused without a part of it where no header can carry it", (_, given) => {
    expect(read(given, "  secret\r\n")).toMatchObject(
      expect.toSatisfy((one) => one.token === "secret" || one.joinBy.key === "secret")
    )
    for (const bad of ["AAAA\n  BBBB", "AAAAéBBBB", "AAAA\u0000BBBB", "AAAA BBBB"])
      expect(() => read(given, bad)).toThrow(expect.not.stringMatching(/AAAA|BBBB/u))
  })
  it.each([
    ["HUB_TOKEN", "hub_AAAA", /is an API key; a daemon has a token of its own/u],
    ["HUB_TOKEN", "hubj_AAAA", /is a join key; give it with --join/u],
    ["--join", "hubd_AAAA", /is a daemon's token; give it with --token-file/u],
    ["--join", "hub_AAAA", /is an API key; a join key begins with hubj_/u]
  ])("of %s that is another of the hub's, such as %s, is told from it", (place, secret, words) => {
    const [, given] = places.find(([one]) => one === place)!
    expect(() => read(given, secret)).toThrow(words)
    expect(() => read(given, secret)).toThrow(expect.not.stringContaining("AAAA"))
  })
})

describe("small rules of the daemon", () => {
  it("reads a chat message from its canonical form first, then the fallback, then the old form", () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "text", text: "b" }
    ]
    expect(chatText({ input: { parts, textFallback: "c" }, message: "d" })).toBe("a\nb")
    expect(chatText({ input: { parts: [], textFallback: "c" }, message: "d" })).toBe("c")
    expect(chatText({ message: "d" })).toBe("d")
    expect(() => chatText({})).toThrow("`message` is missing")
  })
  it.each([
    // [what is allowed, how long the hub waits, what it gets]
    [1_000, 5_000, 1_000],
    [3_000, 7_000, 3_000],
    [55_000, 59_000, 55_000],
    [60_000, 60_000, 55_000],
    [58_000, 60_000, 55_000],
    // a hub that waits no longer than it allows
    [10_000, undefined, 7_000],
    [1_000, undefined, 1_000],
    [500, undefined, 500]
  ])("gives a command of %i ms, whose hub waits %s ms, exactly that as far as its answer arrives: %i", (...given) => {
    const [deadlineMs, waitMs, gets] = given
    const command = { deadlineMs, ...(waitMs !== undefined && { waitMs }), durable: false }
    expect(commandMillis(command, terminalMillisMax)).toBe(gets)
  })
  it("gives a durable command all of its time, an hour at most", () => {
    const gets = (deadlineMs: number) => commandMillis({ deadlineMs, durable: true }, terminalMillisMax)
    expect([1_000, 600_000, 9e9].map(gets)).toEqual([1_000, 600_000, 3_600_000])
  })
  it("says to a person why a hub is not reached and when it tries again, and of further tries only that", () => {
    const [time, reason] = ["1970-01-01T00:00:00.000Z", "http://h refused the connection (ECONNREFUSED)"]
    expect(sentence(0, "connection failed", { reason, againInMs: 1_200 })).toBe(
      `${time} connection failed: ${reason}; trying again in 2 s`
    )
    expect(sentence(0, "connecting", { url: "ws://h", attempt: 1 })).toBe(`${time} connecting url=ws://h`)
    expect(sentence(0, "connecting", { url: "ws://h", attempt: 2 })).toBeUndefined()
  })
  it("logs one line a fact, quoted where it must be", () => {
    expect(line(0, "said", { a: 1, b: "two words\n", c: undefined })).toBe(
      '1970-01-01T00:00:00.000Z said a=1 b="two words\\n"'
    )
  })
})
