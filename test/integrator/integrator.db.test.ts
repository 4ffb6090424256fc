/** The integrator's commands against a real hub: what they print, keep, forward, and how they refuse. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { webhooks } from "../../client/src/index.ts"
import { type IntegratorCommand, integrator } from "../../integrator/main.ts"
import { type Owned, ownedDaemon } from "../support/connected-daemon.ts"
import { testFolder } from "../support/folder.ts"
import { startHub, type TestHub } from "../support/hub.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { until } from "../support/until.ts"

let hub: TestHub
let owned: Owned
let receiver: Receiver
let home: string
beforeAll(async () => {
  hub = await startHub()
  owned = await ownedDaemon(hub)
  receiver = await startReceiver()
})
beforeEach(() => {
  home = testFolder("profiles")
})
afterAll(async () => {
  await hub.close()
  await receiver.close()
})

const terminalOf = (answers: ReadonlyArray<string> = []) => {
  const said: Array<string> = []
  const complained: Array<string> = []
  const controller = new AbortController()
  let asked = 0
  const terminal = {
    say: (line: string) => void said.push(line),
    sayJson: (value: unknown) => void said.push(JSON.stringify(value)),
    complain: (line: string) => void complained.push(line),
    ask: async () => answers[asked++] ?? "",
    signal: controller.signal
  }
  return { terminal, said, complained, interrupt: () => controller.abort() }
}
type Env = Readonly<Record<string, string>>
const start = (
  command: IntegratorCommand,
  args: ReadonlyArray<string>,
  env: Env = {},
  answers?: ReadonlyArray<string>
) => {
  const all = terminalOf(answers)
  return { ...all, ended: integrator(command, args, { XDG_CONFIG_HOME: home, ...env }, all.terminal) }
}
const run = async (...given: Parameters<typeof start>) => {
  const { ended, said, complained } = start(...given)
  return { code: await ended, said, complained }
}
const loggedIn = () => run("login", ["--url", hub.url, "--daemon-token", owned.token], {}, [owned.key])

describe("hub login", () => {
  it("keeps a key that the hub accepts where only its user may read it", async () => {
    expect(await loggedIn()).toMatchObject({ code: 0, complained: [] })
    expect(statSync(join(home, "hub/profiles.json")).mode & 0o777).toBe(0o600)
    const { said } = await run("whoami", ["--json"])
    expect(JSON.parse(said[0]!)).toMatchObject({ url: hub.url, account: { id: owned.account.accountId } })
  })

  it("keeps no key that the hub refuses, and no empty one", async () => {
    const refused = await run("login", ["--url", hub.url], {}, ["hub_wrong"])
    expect(refused).toMatchObject({ code: 1, complained: [expect.stringContaining("AUTH_INVALID")] })
    expect(await run("login", ["--url", hub.url], {}, [""])).toMatchObject({ code: 1 })
    expect(await run("whoami", [])).toMatchObject({ code: 1, complained: [expect.stringContaining("not logged in")] })
  })

  it("says where no hub answers", async () => {
    const { code, complained } = await run("login", ["--url", "http://127.0.0.1:9"], {}, ["hub_x"])
    expect([code, complained[0]]).toEqual([1, expect.stringContaining("http://127.0.0.1:9 cannot be reached")])
  })

  it("keeps several profiles, and forgets the one that is named", async () => {
    await loggedIn()
    await run("login", ["--url", hub.url, "--profile", "work"], {}, [owned.key])
    expect((await run("logout", ["--profile", "work"])).code).toBe(0)
    expect((await run("whoami", ["--profile", "work"])).code).toBe(1)
    expect((await run("whoami", [])).code).toBe(0)
  })
})

describe("hub login --device", () => {
  const codeIn = (lines: ReadonlyArray<string>) => /allow the code ([A-Z]{4}-[A-Z]{4})/u.exec(lines.join("\n"))?.[1]
  const begun = async (...flags: ReadonlyArray<string>) => {
    const device = start("login", ["--url", hub.url, "--device", ...flags])
    const userCode = await until("it shows a code", () => codeIn(device.complained))
    const decide = async (what: string) => {
      const session = await owned.account.session()
      const path = `/api/v1/auth/device/${what}`
      expect((await hub.request("POST", path, { session, body: { userCode } })).status).toBe(200)
    }
    return { device, decide, userCode }
  }

  it("shows a code, and keeps the key that its person allows", async () => {
    const { device, decide, userCode } = await begun("--scopes", "ide:read,terminal:exec")
    expect(device.complained[0]).toBe(`Open ${hub.url}/console#/device?code=${userCode}`)
    await decide("approve")
    expect(await device.ended).toBe(0)
    expect(JSON.parse((await run("whoami", ["--json"])).said[0]!)).toMatchObject({
      account: { id: owned.account.accountId },
      scopes: ["ide:read", "terminal:exec"]
    })
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

describe("hub call", () => {
  it("prints an answer as it came, and an error with exit code 1", async () => {
    await loggedIn()
    const { code, said } = await run("call", ["get", "me"])
    expect([code, JSON.parse(said[0]!).account.id]).toEqual([0, owned.account.accountId])
    const error = await run("call", ["GET", "/api/v1/daemons/dmn_unknown/status"])
    expect([error.code, JSON.parse(error.said[0]!).reason]).toEqual([1, "NOT_FOUND"])
  })

  it("takes its key from the environment too", async () => {
    const env = { HUB_URL: hub.url, HUB_KEY: owned.key }
    expect((await run("call", ["GET", "daemons", "--include"], env)).complained[0]).toBe("200 OK")
  })

  it("refuses what it cannot send, before anything is sent", async () => {
    await loggedIn()
    for (const args of [
      ["PUT", "me"],
      ["GET", "https://elsewhere.example/"],
      ["POST", "me", "--data", "@/nowhere"]
    ]) {
      expect((await run("call", args)).code, args.join(" ")).toBe(1)
    }
    expect((await run("call", ["GET"])).code).toBe(2)
    expect((await run("call", ["GET", "me", "--nonsense"])).code).toBe(2)
  })
})

describe("hub listen", () => {
  it("posts each event to a local address, signed so that both schemes verify", async () => {
    await loggedIn()
    const secret = (await run("listen", ["--print-secret"])).said[0]!
    const listening = start("listen", ["--forward-to", receiver.url("/hooks"), "--event", "daemon:connect", "--json"])
    await until("it is open", () => listening.complained.some((line) => line.includes("forwarding")))
    const peer = await owned.connect()
    await until("it is forwarded", () => listening.said.length > 0)
    await peer.leave()
    listening.interrupt()
    expect(await listening.ended).toBe(0)
    const { headers, text: body } = receiver.at("/hooks").at(-1)!
    const { event, deliveryId } = await webhooks.verify({ body, headers, secret })
    expect(event).toMatchObject({ event: "daemon:connect", payload: { daemonId: owned.daemonId } })
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ event: event.event })
    expect(JSON.parse(listening.said[0]!)).toMatchObject({ event: "daemon:connect", id: deliveryId, status: 200 })
  })

  it("shows a receiver that is away, and goes on", async () => {
    await loggedIn()
    const closed = await startReceiver()
    await closed.close()
    const away = start("listen", [
      "--forward-to",
      closed.url("/"),
      "--event",
      "daemon:connect,daemon:disconnect",
      "--json"
    ])
    await until("it is open", () => away.complained.some((line) => line.includes("forwarding")))
    await (await owned.connect()).leave()
    await until("both are shown", () => away.said.length === 2)
    away.interrupt()
    expect(await away.ended).toBe(0)
    expect(away.said.map((line) => JSON.parse(line).error)).toEqual(["ECONNREFUSED", "ECONNREFUSED"])
  })

  it("has another secret for another account, and the same one each time", async () => {
    const secretOf = async (key: string) =>
      (await run("listen", ["--print-secret"], { HUB_URL: hub.url, HUB_KEY: key })).said[0]
    const stranger = await (await hub.account()).key(["ide:read"])
    expect(await secretOf(owned.key)).toBe(await secretOf(owned.key))
    expect(await secretOf(stranger)).not.toBe(await secretOf(owned.key))
  })

  it("refuses an address that is none", async () => {
    await loggedIn()
    expect((await run("listen", ["--forward-to", "ftp://x"])).code).toBe(1)
    expect((await run("listen", [])).code).toBe(2)
  })
})

describe("hub trigger", () => {
  const events = [
    "daemon:connect",
    "agent:status",
    "agent:generating_started",
    "agent:generating_completed",
    "agent:waiting_approval"
  ]
  const more = [
    "agent:waiting_choice",
    "agent:stopped",
    "monitor:no_progress",
    "command:completed",
    "daemon:disconnect"
  ]
  it.each([...events, ...more])("has the hub send %s", async (event) => {
    // a daemon of its own: agent:status comes once in 10 s for each
    const other = await ownedDaemon(hub)
    const env = { HUB_URL: hub.url, HUB_KEY: other.key, HUB_TOKEN: other.token }
    const { code, said, complained } = await run("trigger", [event], env)
    expect([code, complained]).toEqual([0, []])
    expect(JSON.parse(said[0]!)).toMatchObject({ event, payload: { daemonId: other.daemonId } })
  })

  it("says what it can send, and that a token is refused", async () => {
    await loggedIn()
    expect((await run("trigger", ["nonsense"])).code).toBe(2)
    const { code, complained } = await run("trigger", ["daemon:connect"], { HUB_TOKEN: "hubd_wrong" })
    expect([code, complained[0]]).toEqual([1, expect.stringContaining("token")])
  })
})

describe("hub events tail", () => {
  it("prints events with their ids, and resumes behind one", async () => {
    await loggedIn()
    const first = start("events", ["tail", "--event", "daemon:connect", "--daemon", owned.daemonId])
    await until("it is open", () => first.complained.length > 0)
    await (await owned.connect()).leave()
    await until("it is printed", () => first.said.length > 0)
    first.interrupt()
    await first.ended
    const { id } = JSON.parse(first.said[0]!)
    const again = start("events", ["tail", "--event", "daemon:connect", "--after", id])
    await (await owned.connect()).leave()
    await until("the next is printed", () => again.said.length > 0)
    again.interrupt()
    expect(await again.ended).toBe(0)
    expect(JSON.parse(again.said[0]!).id).not.toBe(id)
  })

  it("is followed by tail", async () => {
    expect((await run("events", ["head"])).code).toBe(2)
  })
})

describe("hub logs", () => {
  const callAs = async (env: Env, path: string) => void (await run("call", ["GET", path], env))
  const ofNewKey = async () => {
    const account = await hub.account()
    return { HUB_URL: hub.url, HUB_KEY: await account.key(["ide:read"]) }
  }
  const listed = async (env: Env, ...flags: ReadonlyArray<string>) =>
    (await run("logs", ["list", "--json", ...flags], env)).said.map((line) => JSON.parse(line))

  it("lists the requests of its key, newest first, by status, path and number", async () => {
    const env = await ofNewKey()
    await callAs(env, "me")
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

  it("tails: the latest, then what is new, each once and in its order", async () => {
    const env = await ofNewKey()
    await callAs(env, "me")
    await until("it is there", async () => (await listed(env)).length === 1)
    const tail = start("logs", ["tail", "--json"], env)
    await until("the latest is shown", () => tail.said.length === 1 && tail.complained.length === 1)
    await callAs(env, "usage")
    await callAs(env, "daemons/dmn_none/status")
    await until("the new ones are shown", () => tail.said.length === 3)
    tail.interrupt()
    expect(await tail.ended).toBe(0)
    const shown = tail.said.map((line) => JSON.parse(line).operation)
    expect(shown).toEqual(["account.me", "account.usage", "daemons.status"])
  })

  it("refuses what is no filter, and a key that is none", async () => {
    const env = await ofNewKey()
    for (const args of [["head"], ["list", "--status", "often"], ["list", "--method", "PUT"], ["tail", "--last", "0"]])
      expect((await run("logs", args, env)).code, args.join(" ")).toBe(2)
    const { code, complained } = await run("logs", ["tail"], { ...env, HUB_KEY: "hub_wrong" })
    expect([code, complained[0]]).toEqual([1, expect.stringContaining("AUTH_INVALID")])
  })
})
