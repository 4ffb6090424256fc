/** `hub doctor` as people and scripts call it: real processes, beside a running hub and without one. */
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { command, type RunningHub, runHub } from "../../support/hub-command.ts"
import { environmentOf, useDatabase } from "../../support/use-started.ts"

interface Finding {
  readonly check: string
  readonly severity: string
  readonly found: string
  readonly remedy: string | null
}

// Of the database nothing depends here; doctor.cluster.test.ts has it.
describe("hub doctor", () => {
  const database = useDatabase()
  let env: Record<string, string>
  let hub: RunningHub
  beforeAll(() => {
    env = environmentOf(database)
  })
  afterAll(() => hub?.end("SIGKILL"))

  const json = async (): Promise<{ code: number | null; ok: boolean; findings: ReadonlyArray<Finding> }> => {
    const { code, stdout, stderr } = await command(["doctor", "--json"], env)
    expect(stderr).toBe("")
    expect(stdout).toMatch(/^\{.*\}\n$/u)
    return { code, ...JSON.parse(stdout) }
  }
  const of = (findings: ReadonlyArray<Finding>, check: string) => findings.find((one) => one.check === check)

  it("works without a hub, ends with 1 where a finding is an error, and makes nothing", async () => {
    const { code, ok, findings } = await json()
    expect({ code, ok }).toEqual({ code: 1, ok: false })
    expect(of(findings, "hub")).toMatchObject({ severity: "ok", found: "none runs in this data folder" })
    // the folder of the test is a database without the key beside it
    expect(findings.filter(({ severity }) => severity === "error").map(({ check }) => check)).toEqual(["secret key"])
  })

  it("asks the hub that runs for its descriptors and the proxies it sees, and ends with 0", async () => {
    hub = await runHub(env, 4_096)
    await fetch(`${hub.url}/healthz`, { headers: { "x-forwarded-for": "203.0.113.9" } })
    const { code, findings } = await json()
    expect(code).toBe(0)
    expect(of(findings, "hub")!.found).toMatch(/^runs as process \d+$/u)
    expect(of(findings, "file descriptors")!.found).toContain("the hub that runs may open 4,096")
    expect(of(findings, "proxies")).toMatchObject({
      severity: "warning",
      found: expect.stringContaining("come from 127.0.0.1")
    })
  })

  it("prints a line per finding with its remedy below, and counts them", async () => {
    chmodSync(join(env["HUB_DATA_DIR"]!, "secret.key"), 0o644)
    const { code, stdout } = await command(["doctor"], env)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error +secret key +other users [^\n]*\n +-> chmod 600 [^\n]*secret\.key$/mu)
    expect(stdout).toMatch(/^1 error, \d+ warnings?$/mu)
  })
})
