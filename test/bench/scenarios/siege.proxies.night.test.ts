/**
 * The bench scenario siege where the hub does not stand alone: behind each proxy, over TLS, with two nodes. Rows in
 * their small form reach it there, and regular peers lose nothing. No time and no size is judged.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { BenchOptions } from "../../../bench/fixture.ts"
import { besiege, siege } from "../../../bench/scenarios/siege.ts"
import { type FrontKind, hasFront } from "../../../bench/servers/front.ts"
import type { AttackName } from "../../../bench/siege/all.ts"
import { type Besieged, startBesieged } from "../../../bench/siege/besieged.ts"
import { type RegularClient, startRegular } from "../../../bench/siege/regular-client.ts"

const patienceMillis = 180_000
const small: BenchOptions = { seconds: 1, runs: 1, pinned: false, database: "postgres", tiny: true, say: () => {} }
const rows: ReadonlyArray<AttackName> = [
  "daemon-pings",
  "disabled-account",
  "slow-heads",
  "session-streams",
  "client-retries"
]

interface Place {
  readonly name: string
  readonly site: Partial<BenchOptions>
}

const places: ReadonlyArray<Place> = [
  { name: "behind nginx, two nodes, over TLS", site: { behind: "nginx", nodes: 2, tls: true } },
  { name: "behind haproxy", site: { behind: "haproxy" } },
  { name: "two nodes that speak TLS themselves", site: { nodes: 2, tls: true } }
]

/** In the gate each proxy must be there, and the part of one that is not fails. */
const isHere = ({ site: { behind } }: Place): boolean => {
  if (behind === undefined || hasFront(behind)) return true
  process.stderr.write(`No ${behind} on this machine: the siege behind it is left out.\n`)
  return process.env["CI"] === "true"
}

describe.each(places.filter(isHere))("the siege of $name", ({ site: wanted }) => {
  let site: Besieged
  let regular: RegularClient
  beforeAll(async () => {
    site = await startBesieged({ ...small, ...wanted })
    regular = await startRegular(site, { tiny: true, logins: true })
  }, patienceMillis)
  afterAll(async () => {
    await regular?.stop()
    await site?.stop()
  }, patienceMillis)

  it("goes where callers go", () => {
    expect(site.route.url.startsWith(wanted.tls === true ? "https:" : "http:")).toBe(true)
    expect(site.pids).toHaveLength(wanted.nodes ?? 1)
    expect(site.route.nodes).toHaveLength(wanted.behind === undefined ? (wanted.nodes ?? 1) : 0)
  })

  it.each(rows)(
    "%s reaches it, and no regular request on a kept connection fails",
    { timeout: patienceMillis },
    async (name) => {
      const row = await besiege({ ...small, ...wanted }, name, { site, regular })
      expect(row.reached).toBeGreaterThan(0)
      expect({ during: row.during.failed, after: row.after.failed }).toEqual({ during: {}, after: {} })
      expect(row.during.kinds.command?.good).toBeGreaterThan(0)
      expect(row.broken).toEqual([])
    }
  )
})

describe("a row that cannot be played behind a proxy", () => {
  it.each<FrontKind>(["nginx", "haproxy"])("is left out behind %s, and the outcome says why", async (behind) => {
    const { figures, notes } = await siege({ ...small, behind, only: ["idle-connections"] })
    expect(figures).toEqual([])
    expect(notes).toContain(
      `idle-connections is left out: connections that say nothing end at ${behind}, which opens none to the hub for them`
    )
    expect(notes).toContain(`besieged: a hub behind ${behind}`)
  })
})
