/** The store of the daemon's releases: one program of each version, and no more than there may be. */
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { keptReleasesMax, namedReleasesMax } from "../../../../src/limits/daemon-versions.ts"
import { DaemonReleases } from "../../../../src/store/daemons/daemon-releases.ts"
import { DaemonVersions } from "../../../../src/store/daemons/daemon-versions.ts"
import { useStore } from "../../../support/store-services.ts"

describe("the store of the daemon's releases", () => {
  const store = useStore(Layer.mergeAll(DaemonReleases.layer, DaemonVersions.layer))
  const [releases, versions] = [store.using(DaemonReleases), store.using(DaemonVersions)]
  const keep = (version: string, sha256: string, at: number) =>
    releases((port) => port.keep({ version, sha256 }, new TextEncoder().encode(`program ${sha256}`), at))
  const text = async (sha256: string) => {
    const program = await releases((port) => port.program(sha256))
    return program && new TextDecoder().decode(program)
  }

  it("keeps of each version the program served last, and of versions those served last", async () => {
    for (let nth = 0; nth <= keptReleasesMax; nth++) await keep(`1.${nth}.0`, `of ${nth}`, nth)
    const last = Array.from({ length: keptReleasesMax }, (_, at) => keptReleasesMax - at)
    expect(await releases((port) => port.list)).toEqual(
      last.map((nth) => ({ version: `1.${nth}.0`, sha256: `of ${nth}` }))
    )
    expect([await text("of 0"), await text("of 1")]).toEqual([undefined, "program of 1"])
    await keep("1.1.0", "built anew", 100)
    expect((await releases((port) => port.list))[0]).toEqual({ version: "1.1.0", sha256: "built anew" })
    expect([await text("of 1"), await text("built anew")]).toEqual([undefined, "program built anew"])
  })

  it("keeps beyond those what a policy of any account names, up to a bound, and until none names it", async () => {
    const accounts = [await store.account(), await store.account()]
    const rest = { selector: [], daemonId: null, window: null, canary: null, maxFailures: 1, paused: false }
    const named = Array.from({ length: namedReleasesMax + 1 }, (_, nth) => `2.${nth}.0`)
    // more than one account may name
    const accountOf = (nth: number) => accounts[nth % 2]!
    for (const [nth, version] of named.entries()) {
      await keep(version, `of ${version}`, 1_000 + nth)
      await versions(({ put }) => put(accountOf(nth), { ...rest, id: `p${nth}`, version }))
    }
    const newest = Array.from({ length: keptReleasesMax }, (_, nth) => `3.${nth}.0`).reverse()
    for (const [nth, version] of newest.toReversed().entries()) await keep(version, `of ${version}`, 2_000 + nth)
    const kept = async () => (await releases((port) => port.list)).map(({ version }) => version)
    expect(await kept()).toEqual([...newest, ...named.slice(1).reverse()])
    expect(await text("of 2.1.0")).toBe("program of 2.1.0")
    for (const nth of named.keys()) if (nth !== 1) await versions(({ remove }) => remove(accountOf(nth), `p${nth}`))
    await keep(newest[0]!, "served again", 3_000)
    expect(await kept()).toEqual([...newest, "2.1.0"])
  })
})
