/**
 * The rows of the bench scenario siege in their small form: each against one hub with its published limits, some of
 * them where the hub does not stand alone. The attack reaches the hub, and regular peers on connections that they keep
 * lose nothing. No time and no size is judged: the machine may be busy.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { BenchOptions } from "../../../bench/fixture.ts"
import { besiege, siege } from "../../../bench/scenarios/siege.ts"
import { type FrontKind, hasFront } from "../../../bench/servers/front.ts"
import { startHub } from "../../../bench/servers/hub.ts"
import { type AttackName, attackNames } from "../../../bench/siege/all.ts"
import { type Besieged, besiegedOf, publishedLimits, startBesieged } from "../../../bench/siege/besieged.ts"
import { type RegularClient, startRegular } from "../../../bench/siege/regular-client.ts"

const small: BenchOptions = { seconds: 1, runs: 1, pinned: false, database: "embedded", tiny: true, say: () => {} }
const someRows: ReadonlyArray<AttackName> = [
  "daemon-pings",
  "disabled-account",
  "slow-heads",
  "session-streams",
  "client-retries"
]

interface Place {
  readonly name: string
  readonly rows: ReadonlyArray<AttackName>
  readonly options: BenchOptions
}

const divided = (name: string, more: Partial<BenchOptions>): Place => ({
  name,
  rows: someRows,
  options: { ...small, database: "postgres", ...more }
})
const places: ReadonlyArray<Place> = [
  { name: "that is alone", rows: attackNames, options: small },
  divided("behind nginx, two nodes, over TLS", { behind: "nginx", nodes: 2, tls: true }),
  divided("behind haproxy", { behind: "haproxy" }),
  divided("of two nodes that speak TLS themselves", { nodes: 2, tls: true })
]

/** In CI each proxy must be there, and the part of one that is not fails. */
const isHere = ({ options: { behind } }: Place): boolean => {
  if (behind === undefined || hasFront(behind)) return true
  process.stderr.write(`No ${behind} on this machine: the siege behind it is left out.\n`)
  return process.env["CI"] === "true"
}

const startSite = async ({ rows, options }: Place): Promise<Besieged> => {
  if (rows !== attackNames) return startBesieged(options)
  const hub = await startHub({ settings: publishedLimits, silent: true })
  return { ...besiegedOf(hub), stop: hub.stop }
}

describe.each(places.filter(isHere))("the siege of a hub $name", (place) => {
  const { rows, options } = place
  let site: Besieged
  let regular: RegularClient
  beforeAll(async () => {
    site = await startSite(place)
    regular = await startRegular(site, { tiny: true, logins: true })
  })
  afterAll(async () => {
    await regular?.stop()
    await site?.stop()
  })

  it("goes where callers go", () => {
    expect(site.route.url.startsWith(options.tls === true ? "https:" : "http:")).toBe(true)
    expect(site.pids).toHaveLength(options.nodes ?? 1)
    // one node, or a proxy, is where its callers go
    expect(site.route.nodes).toHaveLength(options.behind === undefined ? (options.nodes ?? 0) : 0)
  })

  it.each(rows)("%s reaches it, and no regular request on a kept connection fails", async (name) => {
    const row = await besiege(options, name, { site, regular })
    expect(row.reached).toBeGreaterThan(0)
    expect({ during: row.during.failed, after: row.after.failed }).toEqual({ during: {}, after: {} })
    expect(row.broken).toEqual([])
  })
})

it.each<FrontKind>(["nginx", "haproxy"])(
  "a row that cannot be played behind a proxy is left out behind %s, and the outcome says why",
  async (behind) => {
    const { figures, notes } = await siege({ ...small, database: "postgres", behind, only: ["idle-connections"] })
    expect(figures).toEqual([])
    expect(notes).toContain(
      `idle-connections is left out: connections that say nothing end at ${behind}, which opens none to the hub for them`
    )
    expect(notes).toContain(`besieged: a hub behind ${behind}`)
  }
)
