/** How long a command follows events: a scripted `fetch`, and timers that the test moves. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { integrator } from "../../integrator/main.ts"
import type { Terminal } from "../../integrator/terminal.ts"
import { problem, stream } from "../client/scripted-fetch.ts"

const lost = (times: number) => Array.from({ length: times }, () => new TypeError("fetch failed"))
const one = 'id: 1\ndata: {"event":"daemon:connect"}\n\n'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Runs `hub events tail` against these answers, each given once, for so long at most. */
const tail = async (answers: ReadonlyArray<Response | Error>, hours: number) => {
  const said: Array<string> = []
  const complained: Array<string> = []
  let asked = 0
  vi.stubGlobal("fetch", async () => {
    const next = answers[asked++]
    if (next === undefined || next instanceof Error) throw next
    return next
  })
  const terminal = {
    sayJson: (value: unknown) => void said.push(JSON.stringify(value)),
    complain: (line: string) => void complained.push(line),
    signal: new AbortController().signal
  } as unknown as Terminal
  const code = integrator("events", ["tail"], { HUB_URL: "http://hub.test", HUB_KEY: "hub_any" }, terminal)
  await vi.advanceTimersByTimeAsync(hours * 3_600_000)
  return { code: await code, said, complained, asked }
}

it("hub events tail goes on once the hub is back, and says once that the stream was lost", async () => {
  const answers = [stream(": open\n\n"), ...lost(300), stream(one), problem(401, "AUTH_INVALID")]
  const { code, said, complained } = await tail(answers, 5)
  expect(said).toEqual(['{"id":"1","event":"daemon:connect"}'])
  const following = "following the account's events; Ctrl-C ends it"
  const again = "the stream was lost; it is opened again behind its last event"
  expect(complained.slice(0, -1)).toEqual([following, again, following, again])
  expect([code, complained.at(-1)]).toEqual([1, expect.stringContaining("401 AUTH_INVALID")])
})

it("hub events tail waits for a hub that is not there yet, and says so once", async () => {
  const { complained } = await tail([...lost(300), stream(one), problem(403, "AUTH_FORBIDDEN")], 5)
  expect(complained[0]).toBe("http://hub.test gives no stream; it is asked for until there is one")
  expect(complained[1]).toBe("following the account's events; Ctrl-C ends it")
})

it.each([401, 403])("hub events tail ends at once where it is answered %d", async (status) => {
  const { code, asked } = await tail([problem(status, "AUTH_INVALID")], 0)
  expect([code, asked]).toEqual([1, 1])
})
