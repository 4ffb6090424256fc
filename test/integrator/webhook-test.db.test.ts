/** `hub trigger webhook:test` against a real hub and a receiver: its owner signs in, one attempt is made and shown. */
import { describe, expect, it } from "vitest"
import { useHub } from "../support/hub.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { useReceiver } from "../support/use-started.ts"
import { integratorCommands } from "./integrator-commands.ts"

const hub = useHub()
const receiver = useReceiver()

const { run } = integratorCommands(() => testFolder("profiles"))

describe("hub trigger webhook:test", () => {
  const password = "correct horse battery"
  /** An owner whose webhooks go to the receiver. */
  const ownerOf = async (webhooks: number) => {
    const { account: owner, session } = await hub.signedIn({ password })
    const body = { url: receiver.url(`/${owner.accountId}`), events: ["*"] }
    const ids: Array<string> = []
    for (let nth = 0; nth < webhooks; nth++)
      ids.push((await hub.request("POST", "/api/v1/webhooks", { session, body })).body.id)
    const env = { HUB_URL: hub.url, HUB_KEY: await owner.key(["agent:read"]) }
    const test = (...args: ReadonlyArray<string>) =>
      run("trigger", ["webhook:test", ...args], env, [owner.email, password], true)
    return { ids, env, test, path: `/${owner.accountId}` }
  }

  it("has it sent once the owner has signed in, prints the delivery, and ends with 1 where it is not taken", async () => {
    const { test, path } = await ownerOf(1)
    const { code, said } = await test()
    expect(code).toBe(0)
    const delivery = JSON.parse(said[0]!)
    expect(delivery).toMatchObject({ event: "webhook:test", status: "succeeded", attempt: 1 })
    receiver.react(path, 500)
    const refused = await test()
    expect([refused.code, JSON.parse(refused.said[0]!)]).toMatchObject([1, { statusCode: 500 }])
  })

  it("wants to know which of several, and that there is one", async () => {
    const { ids, test } = await ownerOf(2)
    const { code, complained } = await test()
    expect([code, ids.every((id) => complained.at(-1)!.includes(id))]).toEqual([1, true])
    expect((await test("--webhook", ids[1]!)).code).toBe(0)
    expect((await test("--webhook", "whk_unknown")).complained.at(-1)).toContain("NOT_FOUND")
    expect((await (await ownerOf(0)).test()).complained.at(-1)).toContain("no webhook")
  })

  it("asks for nothing where nobody can answer, and --webhook belongs to no other event", async () => {
    const { env } = await ownerOf(0)
    const { code, complained } = await run("trigger", ["webhook:test"], env)
    expect([code, complained[0]]).toEqual([1, expect.stringMatching(/its owner signs in at a terminal$/u)])
    expect((await run("trigger", ["daemon:connect", "--webhook", "whk_1"], env)).code).toBe(2)
  })
})
