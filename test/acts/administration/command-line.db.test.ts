/** The command line as people and scripts call it: real processes, beside a running hub and without one. */
import { randomBytes } from "node:crypto"
import { statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKind } from "../../support/database.ts"
import { command, type RunningHub, runHub } from "../../support/hub-command.ts"
import { environmentOf, useDatabase } from "../../support/use-started.ts"

describe("the command line", () => {
  const database = useDatabase()
  let env: Record<string, string>
  let hub: RunningHub | undefined
  let early = ""
  beforeAll(() => {
    env = environmentOf(database)
  })
  afterAll(() => hub?.end("SIGKILL"))

  const json = async (...args: Array<string>): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await command([...args, "--json"], env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^\{.*\}\n$/u)
    return JSON.parse(stdout)
  }
  const list = (key: string) => fetch(`${hub!.url}/api/v1/daemons`, { headers: { authorization: `Bearer ${key}` } })
  /** The hub that runs; a try after one that ended it has another. */
  const running = async (): Promise<RunningHub> => {
    if (hub === undefined || !hub.runs()) hub = await runHub(env)
    return hub
  }
  /** An address that no earlier try has used. */
  const address = (name: string): string => `${name}.${randomBytes(4).toString("hex")}@example.com`

  // The same on either database: no store is opened.
  it.runIf(databaseKind === "embedded")(
    "ends with 2 and one sentence on what it does not understand, and touches nothing",
    async () => {
      const outcome = await command(["key", "create", "--account", "a@b.c", "--scopes", "ide:reed"], env)
      expect(outcome).toMatchObject({ code: 2, stdout: "" })
      expect(outcome.stderr).toMatch(/^hub: --scopes: no such scope ide:reed; [^\n]*\n$/u)
    }
  )

  it("works on the store itself while no hub runs, with the password from stdin", async () => {
    early = address("before")
    const args = ["account", "create", "--email", early, "--password", "-", "--json"]
    const created = await command(args, env, "correct horse\nbattery")
    expect(created).toMatchObject({ code: 0, stderr: "" })
    const again = await command(["account", "create", "--email", early], env)
    expect(again).toEqual({ code: 1, stdout: "", stderr: `hub: there is an account of ${early} already\n` })
  })

  it("asks the hub that runs: a key works at once, and not a moment after it is revoked", async () => {
    expect((await running()).greeting).not.toContain("hub_")
    const { accountId } = await json("account", "create", "--email", address("beside"), "--plan", "ultra")
    const { id, key } = await json("key", "create", "--account", accountId!, "--scopes", "ide:read")
    expect((await list(key!)).status).toBe(200)
    await json("key", "revoke", id!)
    expect((await list(key!)).status).toBe(401)
  })

  it("lists as a table for people, what was made before the hub ran among it", async () => {
    const { code, stdout } = await command(["account", "list"], env)
    expect(code).toBe(0)
    expect(stdout.split("\n")[0]).toMatch(/^accountId +email +plan +admin +disabled +createdAt$/u)
    const row = stdout.split("\n").find((line) => line.includes(early))
    expect(row).toMatch(/@example\.com +free +false +false/u)
  })

  it("keeps everything in the data folder to its user", async () => {
    await running()
    const mode = (name: string) => statSync(join(env["HUB_DATA_DIR"]!, name)).mode & 0o777
    expect(mode("control.sock")).toBe(0o600)
    expect(mode("hub.lock")).toBe(0o600)
    if (databaseKind === "embedded") expect(mode("secret.key")).toBe(0o600)
  })

  it("lets a hub end with 0 on SIGTERM, saying so in its log, and leaves the folder free", async () => {
    const ending = await running()
    expect(await ending.end("SIGTERM")).toEqual({ code: 0, signal: null })
    expect(ending.said()).toMatch(/"message":"draining","daemons":0,"requests":0\}\n.*"message":"closed"\}\n$/u)
    const { accountId } = await json("account", "create", "--email", address("after"))
    expect((await json("token", "create", "--account", accountId!))["token"]).toMatch(/^hubd_/u)
  })
})
