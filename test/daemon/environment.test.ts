/** What the daemon keeps to itself, and what it warns of. */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { inTheClear, programEnvironment, warningsOf } from "../../daemon/environment.ts"
import { readOptions } from "../../daemon/main.ts"
import { fc, forAll } from "../support/properties.ts"
import { testFolder } from "../support/temporary-folder.ts"

const options = (args: ReadonlyArray<string>, environment = {}) => {
  const read = readOptions(args, environment)
  if (read === "help") throw new Error("no help was asked for")
  return read
}

it("the environment of what a daemon runs has none of the hub's names, and all others as they are", () =>
  forAll(fc.dictionary(fc.string(), fc.string()), (others) => {
    const given = { ...others, HUB_TOKEN: "t", HUB_KEY: "k", HUB_SECRET_KEY: "s", hub_token: "t", PATH: "/bin" }
    const left = programEnvironment(given)
    expect(Object.keys(left).filter((name) => /^hub_/iu.test(name))).toEqual([])
    expect(left["PATH"]).toBe("/bin")
  }))

describe("a daemon's start", () => {
  it("says on Windows, and only there, which systems it is for", () => {
    const of = (platform: string) => warningsOf("wss://hub.example/", undefined, platform)
    expect([of("linux"), of("darwin")]).toEqual([[], []])
    expect(of("win32")).toEqual([expect.stringContaining("for Linux and macOS")])
  })

  it.each([
    ["ws://hub.example/", true],
    ["ws://10.0.0.1:8080/", true],
    ["ws://127.0.0.1.example/", true],
    ["ws://localhost.example/", true],
    ["ws://[2001:db8::1]/", true],
    ["wss://hub.example/", false],
    ["ws://localhost:8080/", false],
    ["ws://127.0.0.1:8080/", false],
    ["ws://127.8.0.1/", false],
    ["ws://[::1]:8080/", false]
  ])("knows whether %s goes over a network in the clear: %s", (url, clear) => expect(inTheClear(url)).toBe(clear))

  it("warns once of an address that is in the clear, by whichever scheme it was given", () => {
    for (const url of ["http://hub.example", "ws://hub.example"]) {
      const { warnings } = options(["--url", url, "--token", "t"])
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toMatch(/^WARNING: ws:\/\/ is not encrypted/u)
    }
    expect(options(["--url", "https://hub.example", "--token", "t"]).warnings).toEqual([])
    expect(options(["--url", "http://127.0.0.1:8080", "--token", "t"]).warnings).toEqual([])
  })

  it("warns of a token file that others may read", () => {
    const file = join(testFolder("tokenfile"), "token")
    writeFileSync(file, "hubd_x\n", { mode: 0o600 })
    const read = () => options(["--url", "https://hub.example", "--token-file", file])
    expect(read()).toMatchObject({ token: "hubd_x", warnings: [] })
    chmodSync(file, 0o640)
    expect(read().warnings).toEqual([expect.stringContaining("chmod 600")])
  })

  it("takes its token from the environment where none is given, so that it is in no list of processes", () => {
    expect(options(["--url", "https://hub.example"], { HUB_TOKEN: "t" }).token).toBe("t")
    expect(options(["--url", "https://hub.example", "--token", "u"], { HUB_TOKEN: "t" }).token).toBe("u")
  })
})
