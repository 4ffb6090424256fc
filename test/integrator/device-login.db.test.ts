/** `hub login --device` against a real hub: the code, the key that is kept, and its ends without one. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { ownedDaemon } from "../support/connected-daemon.ts"
import { useHub } from "../support/hub.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { useStarted } from "../support/use-started.ts"
import { integratorCommands } from "./integrator-commands.ts"

const hub = useHub({ virtual: true })
const owned = useStarted(() => ownedDaemon(hub))
let home: string
beforeEach(() => {
  home = testFolder("profiles")
})

/** The program waits until its person has decided; then the time that it waits for passes at once. */
let decided = Promise.resolve()
const { start, run } = integratorCommands(
  () => home,
  async (millis, signal) => {
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
    await Promise.race([decided, aborted])
    if (!signal.aborted) await hub.advance(millis)
  }
)

describe("hub login --device", () => {
  const codeIn = (lines: ReadonlyArray<string>) => /allow the code ([A-Z]{4}-[A-Z]{4})/u.exec(lines.join("\n"))?.[1]
  const begun = async (...flags: ReadonlyArray<string>) => {
    let isDecided = (): void => undefined
    decided = new Promise((resolve) => {
      isDecided = resolve
    })
    const device = start("login", ["--url", hub.url, "--device", ...flags])
    const userCode = await until("it shows a code", () => codeIn(device.complained))
    const decide = async (what: string, more: object = {}) => {
      const session = await owned.account.session()
      const path = `/api/v1/auth/device/${what}`
      expect((await hub.request("POST", path, { session, body: { userCode, ...more } })).status).toBe(200)
      isDecided()
    }
    return { device, decide, userCode }
  }

  it("shows a code, and keeps the key that its person allows", async () => {
    const { device, decide, userCode } = await begun("--scopes", "ide:read,terminal:exec")
    expect(device.complained[0]).toBe(`Open ${hub.url}/console#/device/${userCode}`)
    await decide("approve")
    expect(await device.ended).toBe(0)
    expect(JSON.parse((await run("whoami", ["--json"])).said[0]!)).toMatchObject({
      account: { id: owned.account.accountId },
      scopes: ["ide:read", "terminal:exec"]
    })
  })

  it("lets hub trigger go on without another question, where its person allows it a join key", async () => {
    const { device, decide } = await begun()
    await decide("approve", { joinKey: true })
    expect(await device.ended).toBe(0)
    const { triggerKey } = JSON.parse(readFileSync(join(home, "hub/profiles.json"), "utf8")).default
    const { body, status } = await hub.request("POST", "/api/v1/daemons/join", { key: triggerKey, body: {} })
    expect([status, body.daemonId]).toEqual([201, expect.stringMatching(/^dmn_/u)])
    const session = await owned.account.session()
    const { joinKeys } = (await hub.request("GET", "/api/v1/join-keys", { session })).body
    expect(joinKeys[0]).toMatchObject({ uses: 1, removeAfterMinutes: 1 })
  })

  it("ends when its person refuses, when it is interrupted, and before it begins with an unknown scope", async () => {
    const refused = await begun()
    await refused.decide("deny")
    expect(await refused.device.ended).toBe(1)
    expect(refused.device.complained.at(-1)).toContain("refused in the browser")
    const left = await begun()
    left.device.interrupt()
    expect(await left.device.ended).toBe(130)
    expect((await run("login", ["--url", hub.url, "--device", "--scopes", "all"])).code).toBe(1)
    expect((await run("whoami", [])).code).toBe(1)
  })
})
