/** `hub logs` against a real hub: what it lists, and what a tail shows. */
import { describe, expect } from "vitest"
import { given } from "../support/given.ts"
import { useHub } from "../support/hub.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { nextMillisecond, until } from "../support/until.ts"
import { type Env, integratorCommands } from "./integrator-commands.ts"

const hub = useHub()

const { start, run } = integratorCommands(() => testFolder("profiles"))

describe("hub logs", () => {
  const callAs = async (env: Env, path: string) => void (await run("call", ["GET", path], env))
  const ofNewKey = async () => {
    const account = await hub.account()
    return { HUB_URL: hub.url, HUB_KEY: await account.key(["ide:read"]) }
  }
  const listed = async (env: Env, ...flags: ReadonlyArray<string>) =>
    (await run("logs", ["list", "--json", ...flags], env)).said.map((line) => JSON.parse(line))

  given(ofNewKey)("lists the requests of its key, newest first, by status, path and number", async (env) => {
    await callAs(env, "me")
    await nextMillisecond()
    await callAs(env, "daemons/dmn_none/status")
    const all = await until("both are there", async () => {
      const found = await listed(env)
      return found.length === 2 ? found : undefined
    })
    expect(all.map(({ status }) => status)).toEqual([404, 200])
    expect(await listed(env, "--status", "4xx", "--path", "dmn_none", "--method", "GET")).toEqual([all[0]])
    expect(await listed(env, "--last", "1")).toEqual([all[0]])
    const { said } = await run("logs", ["list", "--reason", "NOT_FOUND"], env)
    expect(said).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d\.\d{3} {2}GET {4}\/api\/v1\/daemons\/dmn_none\/status {2}404 NOT_FOUND {2}/u
      )
    ])
  })

  given(ofNewKey)("tails: the latest, then what is new, each once and in its order", async (env) => {
    await callAs(env, "me")
    await until("it is there", async () => (await listed(env)).length === 1)
    const tail = start("logs", ["tail", "--json"], env)
    const shows = (count: number) =>
      until(`it shows ${count}`, () => {
        if (tail.said.length === count && tail.complained.length > 0) return true
        throw new Error([`it shows ${tail.said.length}`, ...tail.complained].join("; "))
      })
    await shows(1)
    await callAs(env, "usage")
    await nextMillisecond()
    await callAs(env, "daemons/dmn_none/status")
    await until("they are in the log", async () => (await listed(env)).length === 3)
    await shows(3)
    tail.interrupt()
    expect(await tail.ended).toBe(130)
    const shown = tail.said.map((line) => JSON.parse(line).operation)
    expect(shown).toEqual(["account.me", "account.usage", "daemons.status"])
  })

  given(ofNewKey)("refuses what is no filter, and a key that is none", async (env) => {
    for (const args of [
      ["head"],
      ["list", "--status", "often"],
      ["list", "--method", "FETCH"],
      ["tail", "--last", "0"]
    ])
      expect((await run("logs", args, env)).code, args.join(" ")).toBe(2)
    const { code, complained } = await run("logs", ["tail"], { ...env, HUB_KEY: "hub_wrong" })
    expect([code, complained[0]]).toEqual([1, expect.stringContaining("AUTH_INVALID")])
  })
})
