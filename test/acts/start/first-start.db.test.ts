/** The first start of a hub: credentials that work, shown once. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { credentialsFile } from "../../../src/cli/first-credentials.ts"
import { type RunningHub, runHub } from "../../support/hub-command.ts"
import { hubProgram } from "../../support/hub-program.ts"
import { type OnTerminal, onTerminal } from "../../support/pseudo-terminal.ts"
import { longPatienceMillis, until } from "../../support/until.ts"
import { environmentOf, useDatabase, useReceiver } from "../../support/use-started.ts"

describe("the first start", () => {
  const database = useDatabase()
  const receiver = useReceiver()
  let hub: RunningHub
  let env: Record<string, string>
  let terminal: OnTerminal | undefined

  beforeAll(async () => {
    // A folder that does not exist yet: on the embedded database nothing is there, not even the schema.
    const HUB_DATA_DIR = join(database.settings.dataDir!, "new")
    env = { ...environmentOf(database), HUB_DATA_DIR, HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" }
    hub = await runHub(env)
  })
  afterAll(async () => {
    terminal?.kill()
    await hub?.end("SIGKILL")
  })

  it("keeps them out of what is no terminal: they are in a file that only its user may read", async () => {
    const file = join(env["HUB_DATA_DIR"]!, credentialsFile)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(hub.said()).not.toMatch(/hub[dj]?_\w{36}|password {2}/u)
    expect(hub.said()).toContain(JSON.stringify({ file }).slice(1, -1))
  })

  it("shows them at a terminal, no line of the log between; a later one says where the console is", async () => {
    const own = { PATH: process.env["PATH"], HUB_DATA_DIR: join(env["HUB_DATA_DIR"]!, "at-terminal"), HUB_PORT: "0" }
    const shown = async () => {
      terminal = onTerminal([process.execPath, hubProgram, "start"], own)
      const { screen, type, ended } = terminal
      await until("it serves", () => screen().includes("address=http"), longPatienceMillis)
      type("\x03")
      await ended
      return screen().replaceAll("\r", "")
    }
    const first = await shown()
    expect(first).toMatch(/making the database[\s\S]*First start\.[\s\S]*hubj_\w{36}/u)
    expect(first).not.toContain("audited")
    expect(await shown()).toMatch(/^Console: http:\S+\/console .*hub account password owner@localhost/mu)
  })

  it("shows the call that signs in, with which a webhook is made that is called", async () => {
    const [, body, url] = /curl -H 'content-type: application\/json' -d '([^']+)' (http:\S+\/auth\/login)\n/u.exec(
      hub.greeting
    )!
    const post = async (to: string, text: string | undefined, token?: string) => {
      const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) }
      const answer = await fetch(to, { method: "POST", headers, ...(text !== undefined && { body: text }) })
      return { status: answer.status, body: (await answer.json()) as Record<string, string> }
    }
    const signedIn = await post(url!, body)
    expect(signedIn.status).toBe(200)
    const { token } = signedIn.body
    const hook = JSON.stringify({ url: receiver.url("/hook"), events: ["*"] })
    const made = await post(`${hub.url}/api/v1/webhooks`, hook, token)
    expect(made.status).toBe(201)
    const tested = await post(`${hub.url}/api/v1/webhooks/${made.body["id"]}/test`, undefined, token)
    expect(tested.status).toBe(200)
    expect(receiver.at("/hook")).toHaveLength(1)
  })

  it("shows an account with its password, an API key that works and a join key, no daemon, and the next start none of them", async () => {
    expect(hub.greeting).toMatch(/account {7}acc_\w{20} \(owner@localhost, plan pro\)/u)
    expect(hub.greeting).toMatch(/password {6}[A-Za-z0-9]{24}\n/u)
    expect(hub.greeting).toMatch(/join key {6}(hubj_\w{36}) .*--join \1 /su)
    const key = /API key {7}(hub_\w{36})/u.exec(hub.greeting)![1]!
    const answer = await fetch(`${hub.url}/api/v1/daemons?include=offline`, {
      headers: { authorization: `Bearer ${key}` }
    })
    expect([answer.status, await answer.json()]).toEqual([200, { daemons: [] }])
    await hub.end("SIGTERM")
    hub = await runHub(env)
    expect(hub.greeting).not.toMatch(/hub[dj]?_\w{36}/u)
  })
})
