/** The store of the daemon's releases: one program of each version, and no more than there may be. */
import { describe, expect, it } from "vitest"
import { keptReleasesMax } from "../../../../src/limits/daemon-versions.ts"
import { DaemonReleases } from "../../../../src/store/daemons/daemon-releases.ts"
import { useStore } from "../../../support/store-services.ts"

describe("the store of the daemon's releases", () => {
  const releases = useStore(DaemonReleases.layer).using(DaemonReleases)
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
})
