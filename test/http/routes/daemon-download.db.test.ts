/** What a machine downloads to become a daemon: the script, what it names, and nothing of a request in it. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeDaemonDownloadRoutes } from "../../../http/routes/daemon-download.ts"
import type { DaemonRelease } from "../../../src/runtime/daemon-release.ts"
import { useEdge } from "../../support/edge.ts"
import { askWire } from "../../support/raw-http-connection.ts"

const release: DaemonRelease = {
  version: "1.2.3",
  sha256: "ab".repeat(32),
  minNode: "20.12",
  program: new TextEncoder().encode("// the program\n")
}

describe("the download of the daemon", () => {
  let built: DaemonRelease | undefined
  const older = "cd".repeat(32)
  const programs = new Map([
    [release.sha256, release.program],
    [older, new TextEncoder().encode("// older\n")]
  ])
  const programOf = (sha256: string) => Effect.succeed(programs.get(sha256))
  const edge = useEdge({}, { daemonDownload: makeDaemonDownloadRoutes(() => built, programOf, undefined, false) })

  const scriptFor = async (host: string): Promise<string> => {
    const { status, body } = await askWire(edge.url, "GET /install.sh", `host: ${host}`)
    return status === 200 ? body : String(status)
  }

  it("is 404 as long as nothing is built, and is there once it is, without another start", async () => {
    expect((await fetch(`${edge.url}/install.sh`)).status).toBe(404)
    built = release
    expect((await fetch(`${edge.url}/install.sh`)).status).toBe(200)
  })

  it("names version, address and checksum of the program, which is there for ever under that address", async () => {
    const named = await (await fetch(`${edge.url}/.well-known/hub-daemon.json`)).json()
    const url = `${edge.url}/daemon/${release.sha256}/hub-daemon.mjs`
    expect(named).toEqual({ version: "1.2.3", url, sha256: release.sha256, minNode: "20.12" })
    const program = await fetch(url)
    expect(await program.text()).toBe("// the program\n")
    expect(program.headers.get("cache-control")).toContain("immutable")
    expect((await fetch(url.replace("ab", "ba"))).status).toBe(404)
    expect(await (await fetch(url.replace(release.sha256, older))).text()).toBe("// older\n")
  })

  it("writes no host into the script that a shell could take for more than a word", async () => {
    expect(await scriptFor("hub.example:8443")).toContain("hub='http://hub.example:8443'\n")
    expect(await scriptFor("[2001:db8::1]:80")).toContain("hub='http://[2001:db8::1]:80'\n")
    for (const host of ["a'$(x)'", "a b", "a;b", "a/b", "a%27"]) expect(await scriptFor(host)).toMatch(/^40[04]$/u)
  })

  it("names the hub's own address where it knows it", async () => {
    const { ownAddress } = await import("../../../http/downloads/install-script.ts")
    expect(ownAddress("https://hub.example/", false, "other")).toBe("https://hub.example")
    expect(ownAddress(undefined, true, "other")).toBe("https://other")
    expect(ownAddress("https://me:secret@hub.example/a'b$(x) \nc/?d#e", false, "other")).toBe(
      "https://hub.example/a%27b$(x)%20c"
    )
  })
})
