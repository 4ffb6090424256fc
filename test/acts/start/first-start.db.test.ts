/** The first start of a hub: credentials that work, shown once. */
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type RunningHub, runHub } from "../../support/hub-command.ts"
import { environmentOf, useDatabase, useReceiver } from "../../support/use-started.ts"

// Real processes on a busy machine: patience costs nothing when all goes well.
const patience = { timeout: 240_000 }

describe("the first start", patience, () => {
  const database = useDatabase("test")
  const receiver = useReceiver()
  let hub: RunningHub
  let env: Record<string, string>

  beforeEach(async () => {
    // A folder that does not exist yet: on the embedded database nothing is there, not even the schema.
    const HUB_DATA_DIR = join(database.settings.dataDir!, "new")
    env = { ...environmentOf(database), HUB_DATA_DIR, HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" }
    hub = await runHub(env)
  }, patience.timeout)
  afterEach(() => hub?.end("SIGKILL"))

  it("shows an account with its password, an API key that works and a daemon token, and the next start none of them", async () => {
    expect(hub.greeting).toMatch(/account {7}acc_\w{20} \(owner@localhost, plan pro\)/u)
    expect(hub.greeting).toMatch(/password {6}[A-Za-z0-9]{24}\n/u)
    expect(hub.greeting).toMatch(/daemon token {2}hubd_\w{36} \(daemon dmn_\w{20}\)/u)
    const key = /API key {7}(hub_\w{36})/u.exec(hub.greeting)![1]!
    const answer = await fetch(`${hub.url}/api/v1/daemons`, { headers: { authorization: `Bearer ${key}` } })
    expect([answer.status, await answer.json()]).toEqual([200, { daemons: [] }])
    await hub.end("SIGTERM")
    hub = await runHub(env)
    expect(hub.greeting).not.toMatch(/hubd?_\w{36}/u)
  })

  it("shows the call that signs in, with which a webhook is made that is called", async () => {
    const [, body, url] = /curl --json '([^']+)' (http:\S+\/auth\/login)\n/u.exec(hub.greeting)!
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
})
