/** The connection limit: how many connections the server holds, and which are admitted when it is crowded. */
import { describe, expect, it } from "vitest"
import { addressReader } from "../../../http/native/client-address.ts"
import { connectionsOf, OpenConnections } from "../../../http/native/connection-limit.ts"
import { ConnectionsByAddress } from "../../../http/native/connections-by-address.ts"
import {
  connectionsMin,
  connectionTableReadMillis,
  crowdedShare,
  descriptorsReserved,
  descriptorsSpareMin,
  freeShareOfAddress
} from "../../../src/limits/edge.ts"
import { descriptorsMax, lowestFree } from "../../../src/runtime/descriptors.ts"
import { peersIn } from "../../../src/runtime/tcp-table.ts"
import { fc, forAll } from "../../support/properties.ts"

const descriptors = 2_048

/** Connections with as many of each address as the test says. */
const scripted = (of = new Map<string, number>()) => {
  const looks: Array<string> = []
  let free = 0
  const open = new OpenConnections({
    descriptors,
    lowestFree: () => free,
    from: (address) => {
      looks.push(address)
      return of.get(address) ?? 0
    }
  })
  const use = (descriptors: number): void => {
    free = descriptors
  }
  return { open, looks, use, fill: (to: number) => void times(to - open.size, () => open.opened(() => undefined)) }
}

const times = (count: number, work: () => void): void => {
  for (let nth = 0; nth < count; nth++) work()
}

describe("of the descriptors", () => {
  it("connections leave a reserve to the stores, and at least as many as they take where there are few", () => {
    expect(connectionsOf(descriptors, 40)).toBe(descriptors - descriptorsReserved)
    expect(connectionsOf(65_536, 40)).toBe(57_344)
    expect(connectionsOf(1_024, 40)).toBe(512)
    expect(connectionsOf(Number.POSITIVE_INFINITY, 40)).toBe(Number.POSITIVE_INFINITY)
  })

  it("connections leave as many again as are in use before the first, and take that many whatever else is open", () => {
    expect(connectionsOf(512, 166)).toBe(512 - 2 * 166 - descriptorsSpareMin)
    forAll(fc.integer({ min: 64, max: 70_000 }), fc.integer({ min: 10, max: 400 }), (descriptors, used) => {
      let free = used
      const open = new OpenConnections({ descriptors, lowestFree: () => free, from: () => 0 })
      fc.pre(open.max > connectionsMin)
      for (let nth = 1; nth <= open.max; nth++) {
        free = 2 * used + nth
        if (!open.opened(() => undefined)) return false
      }
      return !open.opened(() => undefined)
    })
  })

  it("the process knows how many there may be, and that those below the lowest free one are in use", () => {
    expect(descriptorsMax()).toBeGreaterThan(lowestFree())
    expect(lowestFree()).toBeGreaterThan(2)
  })
})

describe("a connection", () => {
  it("is taken while few are open, and nobody looks whose it is", () => {
    const { open, looks } = scripted()
    const few = open.max * crowdedShare
    times(few, () => expect(open.opened(() => expect.unreachable())).toBe(true))
    expect(looks).toEqual([])
    expect(open.opened(() => "192.0.2.1")).toBe(true)
    expect(looks).toEqual(["192.0.2.1"])
  })

  it("is closed as it comes when there are as many as there may be, and taken again when one closed", () => {
    const { open, fill } = scripted()
    fill(open.max)
    expect(open.opened(() => undefined)).toBe(false)
    open.closed()
    expect(open.opened(() => "192.0.2.1")).toBe(false)
    open.closed()
    open.closed()
    expect(open.opened(() => "192.0.2.1")).toBe(true)
  })

  it("is closed as it comes when something else of the process has most descriptors", () => {
    const { open, fill, use } = scripted()
    fill(open.max * crowdedShare)
    use(descriptors - 100)
    expect(open.opened(() => "192.0.2.1")).toBe(false)
  })

  it("is closed as it comes when its address has more than its share of the places that are free", () => {
    const { open, fill } = scripted(new Map([["192.0.2.1", 400]]))
    fill(open.max - 2 * 400)
    expect(open.opened(() => "192.0.2.1")).toBe(false)
    open.closed()
    expect(open.opened(() => "192.0.2.2")).toBe(true)
    open.closed()
    open.closed()
    expect(open.opened(() => "192.0.2.1")).toBe(true)
  })

  it("counts against its address only while it is no daemon's socket", () => {
    const { open, fill } = scripted(new Map([["192.0.2.1", 400]]))
    fill(open.max - 2 * 400)
    open.upgraded("192.0.2.1")
    expect(open.opened(() => "192.0.2.1")).toBe(true)
    open.socketClosed("192.0.2.1")
    expect(open.size).toBe(open.max - 2 * 400)
  })

  it("is taken although its address is said to have more than there are: the count of the last look is old", () => {
    const counts = new Map<string, number>()
    const { open } = scripted(counts)
    // daemons of one address arrive quickly, and each is counted twice
    const arrive = (nth: number): boolean => {
      counts.set("a", 2 * nth)
      if (!open.opened(() => "a")) return false
      open.upgraded("a")
      return true
    }
    for (let nth = 1; nth < open.max; nth++) expect(arrive(nth)).toBe(true)
  })

  it("of a proxy's daemon makes no room for the address it came from", () => {
    const { open, fill } = scripted(new Map([["192.0.2.1", 400]]))
    fill(open.max - 2 * 400)
    open.upgraded(undefined)
    expect(open.opened(() => "192.0.2.1")).toBe(false)
    open.socketClosed(undefined)
    open.closed()
    expect(open.size).toBe(open.max - 2 * 400 - 1)
  })

  it("of whoever has few is taken, however many addresses hold as many as they get", () =>
    forAll(fc.integer({ min: 1, max: 200 }), (addresses) => {
      const held = new Map<string, number>()
      const { open } = scripted(held)
      for (let tries = 0; tries < descriptors; tries++) {
        const address = `a${tries % addresses}`
        held.set(address, (held.get(address) ?? 0) + 1)
        if (open.opened(() => address)) continue
        open.closed()
        held.set(address, held.get(address)! - 1)
      }
      held.set("late", 1)
      expect(open.opened(() => "late")).toBe(true)
      for (const count of held.values())
        expect(count).toBeLessThanOrEqual(open.max * (crowdedShare + freeShareOfAddress))
    }))
})

describe("whose connections are open", () => {
  const script = (held = Number.POSITIVE_INFINITY) => {
    let now = 0
    const looks: Array<(seen: ReadonlyMap<string, number> | undefined) => void> = []
    const connections = new ConnectionsByAddress(
      () => new Promise((resolve) => void looks.push(resolve)),
      () => now,
      () => held
    )
    const over = async (seen: ReadonlyMap<string, number> | undefined) => {
      looks.at(-1)!(seen)
      await Promise.resolve()
      await Promise.resolve()
    }
    const pass = (millis: number) => {
      now += millis
    }
    return { connections, looks, over, pass }
  }

  it("is what the system saw, and those that came since that look began", async () => {
    const { connections, over } = script()
    expect(connections.add("a")).toBe(1)
    expect(connections.add("a")).toBe(2)
    await over(new Map([["a", 5]]))
    expect(connections.add("a")).toBe(5 + 2 + 1)
    expect(connections.add("b")).toBe(1)
  })

  it("is asked of the system once at a time, and only now and then", async () => {
    const { connections, looks, over, pass } = script()
    connections.add("a")
    pass(connectionTableReadMillis)
    connections.add("a")
    expect(looks.length).toBe(1)
    await over(new Map([["a", 2]]))
    connections.add("a")
    expect(looks.length).toBe(2)
    await over(new Map([["a", 3]]))
    expect(connections.add("a")).toBe(3 + 1 + 1)
    expect(looks.length).toBe(2)
  })

  it("is the share of this process where the system saw those of other workers too", async () => {
    const { connections, over } = script(100)
    connections.add("a")
    await over(
      new Map([
        ["a", 300],
        ["b", 100]
      ])
    )
    expect([connections.add("a"), connections.add("b")]).toEqual([75 + 1 + 1, 25 + 1])
  })

  it("is not known where the system does not tell", async () => {
    const { connections, over, pass } = script()
    connections.add("a")
    await over(undefined)
    expect(connections.add("a")).toBe(0)
    pass(connectionTableReadMillis)
    expect(connections.add("a")).toBe(0)
  })
})

describe("the system's table", () => {
  const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
  const line = (own: string, other: string, state: string, inode: number, uid = 1000): string =>
    `   1: ${own} ${other} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0 20 0\n`

  it("tells the connections of processes to a port, by address", () => {
    const v4 = line("0100007F:1F90", "0200007F:D431", "01", 7)
    const table =
      head +
      line("00000000:1F90", "00000000:0000", "0A", 5) +
      v4 +
      v4 +
      line("0100007F:1F91", "0300007F:D431", "01", 7) +
      line("0100007F:1F90", "0300007F:D432", "06", 0) +
      line("0100007F:1F90", "0300007F:D433", "08", 9, 1_000_000)
    expect([...peersIn(table, 0x1f90)]).toEqual([
      ["127.0.0.2", 2],
      ["127.0.0.3", 1]
    ])
  })

  it("tells addresses of both families as they are counted: IPv6 by its /64, a mapped one as IPv4", () => {
    const own = "00000000000000000000000001000000:0050"
    const table =
      head +
      line(own, "B80D0120000000000000000001000000:D431", "01", 7) +
      line(own, "B80D0120000000000000000002000000:D431", "01", 7) +
      line(own, "0000000000000000FFFF00000200007F:D431", "01", 7)
    expect([...peersIn(table, 80)]).toEqual([
      [addressReader([]).client("2001:db8::1", "").bucket, 2],
      ["127.0.0.2", 1]
    ])
  })

  it("that is cut short, or is none, tells what it tells", () => {
    const table = head + line("0100007F:1F90", "0200007F:D431", "01", 7)
    forAll(fc.nat({ max: table.length }), fc.string(), (cut, junk) => {
      expect(peersIn(table.slice(0, cut) + junk, 0x1f90).size).toBeLessThan(3)
    })
  })
})
