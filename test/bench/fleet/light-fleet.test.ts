/** The simulated fleet as a hub meets it: what it does when it is sent away, refused, or commanded. */
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { Fleet } from "../../../bench/fleet/light-fleet.ts"
import { until } from "../../support/until.ts"

interface Visit {
  readonly socket: WebSocket
  readonly at: number
  code?: number
}

/** A fleet's time goes on in steps of this many milliseconds. */
const stepMillis = 100

// the fleet's time stands still until a test moves it; that of the sockets goes on
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }))
const ends: Array<() => void> = []
afterEach(() => {
  vi.useRealTimers()
  for (const end of ends.splice(0).reverse()) end()
})

/** A hub that does with each visit, once it has authenticated, what the test says. */
const hub = async (receive: (visit: Visit, count: number) => void, more: object = {}, fleets: object = {}) => {
  const visits: Array<Visit> = []
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", ...more })
  ends.push(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  server.on("connection", (socket) => {
    const visit: Visit = { socket, at: performance.now() }
    visits.push(visit)
    socket.on("close", (code) => {
      visit.code = code
    })
    socket.once("message", () => receive(visit, visits.length))
  })
  await new Promise((resolve) => server.once("listening", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fleet = new Fleet({ url, reportMillis: 0, ...fleets })
  ends.push(() => fleet.close())
  return { visits, fleet }
}

/** Moves the fleet's time on until it comes true. */
const inTime = (what: string, probe: () => boolean) =>
  until(what, () => {
    vi.advanceTimersByTime(stepMillis)
    return probe()
  })

const say = ({ socket }: Visit, type: string, data: object): void => socket.send(JSON.stringify({ type, data }))
const welcome = (visit: Visit): void => say(visit, "auth_ok", { daemonId: "dmn_1" })

describe("a simulated daemon", () => {
  /** Has heard all that was said to it. */
  const hears = async ({ socket }: Visit): Promise<void> => {
    const answered = new Promise((resolve) => socket.once("message", resolve))
    say({ socket, at: 0 }, "command", { id: "c", type: "read_chat", payload: {} })
    await answered
  }

  it.each([
    ["at its slot comes back at once", 300, () => {}],
    // without its slot it would come within a second
    ["by the hub before its slot comes back at its slot", 1_500, ({ socket }: Visit) => socket.close(1012)]
  ])("whose connection is closed with 1012 %s", async (_, afterMs, close) => {
    const { visits, fleet } = await hub(welcome)
    expect(await fleet.join(["t"], "idle", 1)).toMatchObject({ failed: 0 })
    const told = performance.now()
    say(visits[0]!, "reconnect", { afterMs })
    await hears(visits[0]!)
    close(visits[0]!)
    await inTime("it is back", () => visits.length === 2 && fleet.figures().online === 1)
    expect(fleet.figures().closes).toEqual({ 1012: 1 })
    expect(visits[1]!.at - told).toBeGreaterThanOrEqual(afterMs)
  })

  it("that is put off with 4503 comes no sooner than asked, and has joined then", async () => {
    const { visits, fleet } = await hub((visit, count) =>
      count === 1 ? visit.socket.close(4503, '{"afterMs":400}') : welcome(visit)
    )
    const joined = fleet.join(["t"], "idle", 1)
    await inTime("it is back", () => visits.length === 2)
    expect(await joined).toMatchObject({ failed: 0 })
    expect(visits[1]!.at - visits[0]!.at).toBeGreaterThanOrEqual(400)
  })

  it("whose upgrade is answered 503 comes no sooner than Retry-After", async () => {
    const refusals: Array<number> = []
    const { visits, fleet } = await hub(welcome, {
      verifyClient: (
        _: unknown,
        verdict: (good: boolean, status?: number, text?: string, headers?: object) => void
      ) => {
        if (refusals.push(performance.now()) > 1) return verdict(true)
        verdict(false, 503, "", { "retry-after": "1" })
      }
    })
    const joined = fleet.join(["t"], "idle", 1)
    await inTime("it is in", () => visits.length === 1)
    expect(await joined).toMatchObject({ failed: 0 })
    expect(visits[0]!.at - refusals[0]!).toBeGreaterThanOrEqual(1_000)
  })

  it("comes from one of the addresses of its fleet", async () => {
    const from = new Set<string | undefined>()
    const verifyClient = ({ req }: { readonly req: IncomingMessage }): boolean => {
      from.add(req.socket.remoteAddress)
      return true
    }
    const { fleet } = await hub(welcome, { verifyClient }, { from: "127.0.7.1", addresses: 3 })
    expect(await fleet.join(["a", "b", "c"], "idle", 3)).toMatchObject({ failed: 0 })
    expect([...from].sort()).toEqual(["127.0.7.1", "127.0.7.2", "127.0.7.3"])
  })

  it("stays away once its token is unknown, revoked or used by another", async () => {
    for (const code of [4401, 4403, 4409]) {
      const { visits, fleet } = await hub(welcome)
      await fleet.join(["t"], "idle", 1)
      visits[0]!.socket.close(code)
      await until("it is gone", () => fleet.figures().closes[code] === 1)
      // were it to come back, it would not be later than another one whose time is up
      const { visits: others, fleet: control } = await hub(welcome)
      await control.join(["t"], "idle", 1)
      others[0]!.socket.close(4500)
      await inTime("another that may come back is back", () => others.length === 2)
      expect(visits).toHaveLength(1)
    }
  })

  it("that is lost in mid-command breaks off without a word; any other answers", async () => {
    const answered: Array<string> = []
    const { visits, fleet } = await hub((visit) => {
      welcome(visit)
      visit.socket.on("message", (bytes: Buffer) => answered.push(bytes.toString()))
    })
    await fleet.join(["t"], "lost", 1)
    say(visits[0]!, "command", { id: "c1", type: "read_chat", payload: {} })
    await until("it is gone", () => visits[0]!.code !== undefined)
    expect(visits[0]!.code).toBe(1006)
    expect(fleet.figures()).toMatchObject({ commands: 1, breaks: 1 })
    await fleet.join(["u"], "idle", 1)
    say(visits.at(-1)!, "command", { id: "c2", type: "read_chat", payload: {} })
    await until("the other answers", () => answered.some((text) => text.includes("command_result")))
    expect(answered.filter((text) => text.includes('"id":"c1"'))).toEqual([])
  })
})
