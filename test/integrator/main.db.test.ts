/** The integrator's commands against a real hub: what they print, keep, forward, and how they refuse. */
import { once } from "node:events"
import { statSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { freePort } from "../../bench/servers/free-port.ts"
import { webhooks } from "../../client/src/index.ts"
import { triggerable } from "../../integrator/trigger.ts"
import { ownedDaemon } from "../support/connected-daemon.ts"
import { startForeignProxy } from "../support/foreign/proxy.ts"
import { useHub } from "../support/hub.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { useReceiver, useStarted } from "../support/use-started.ts"
import { integratorCommands } from "./integrator-commands.ts"

const hub = useHub()
const owned = useStarted(() => ownedDaemon(hub))
const receiver = useReceiver()
let home: string
beforeEach(() => {
  home = testFolder("profiles")
})

const { start, run } = integratorCommands(() => home)
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
    expect(refused).toMatchObject({ code: 1, complained: [expect.stringContaining("does not know this API key")] })
    const swapped = await run("login", ["--url", hub.url], {}, [owned.token])
    expect(swapped).toMatchObject({ code: 1, complained: [expect.stringContaining("that is a daemon's token")] })
    const key = await run("login", ["--url", hub.url, "--daemon-token", owned.key], {}, [owned.key])
    expect(key).toMatchObject({ code: 1, complained: [expect.stringContaining("--daemon-token is no token")] })
    expect(await run("login", ["--url", hub.url], {}, [""])).toMatchObject({ code: 1 })
    expect(await run("whoami", [])).toMatchObject({ code: 1, complained: [expect.stringContaining("not logged in")] })
  })

  it("says what answered where that is no hub, and follows no redirect", async () => {
    const proxy = await startForeignProxy(hub.url)
    onTestFinished(proxy.close)
    proxy.next("html 401", `308 ${hub.url.replace("127.0.0.1", "localhost")}/api/v1/me`)
    const login = () => run("login", ["--url", proxy.url], {}, [owned.key])
    const page = `hub login: ${proxy.url} answers 401 (text/html, front), which does not come from a hub`
    expect(await login()).toMatchObject({ code: 1, complained: [page] })
    const { complained } = await login()
    expect(complained).toEqual([
      `hub login: ${proxy.url} answers 308 to ${hub.url.replace("127.0.0.1", "localhost")}: use that address`
    ])
  })

  it.each([
    ["whoami", []],
    ["call", ["GET", "me"]],
    ["events", ["tail"]],
    ["logs", ["list"]],
    ["listen", ["--print-secret"]],
    ["login", ["--url", "http://127.0.0.1:9"]]
  ] as const)("with a key of two lines hub %s ends with 2, one sentence and no part of it", async (command, args) => {
    const env = { HUB_URL: "http://127.0.0.1:9", HUB_KEY: "hub_AAA\n  BBB" }
    const sentence = `hub ${command}: HUB_KEY has a line break inside: it must be one line`
    expect(await run(command, args, env)).toEqual({ code: 2, said: [], complained: [sentence] })
  })

  it("takes no key as a word, and does not say it again", async () => {
    const { code, complained } = await run("login", ["--url", hub.url, owned.key])
    expect([code, complained]).toEqual([2, [expect.stringContaining("pipe it in")]])
    expect(complained[0]).not.toContain(owned.key)
  })

  it.each([
    ["whoami", [], "localhost:8080", "HUB_URL is an address such as http://127.0.0.1:8080, not localhost:8080"],
    ["login", [], "hub.example.org", "HUB_URL is an address such as http://127.0.0.1:8080, not hub.example.org"],
    ["job", ["show", ".."], "http://127.0.0.1:9", "jobId must not be .."]
  ] as const)(
    "hub %s %j ends with 2 and a sentence where the hub is named %s",
    async (command, args, url, sentence) => {
      const { code, complained } = await run(command, args, { HUB_URL: url, HUB_KEY: "hub_x" })
      expect([code, complained]).toEqual([2, [`hub ${command}: ${sentence}`]])
    }
  )

  it("says where no hub answers", async () => {
    const { code, complained } = await run("login", ["--url", "http://127.0.0.1:9"], {}, ["hub_x"])
    expect([code, complained[0]]).toEqual([1, expect.stringContaining("http://127.0.0.1:9 gave no answer: bad port")])
    expect(complained[0]).not.toContain("fetch failed")
  })

  it("says that a file of profiles is broken, and nothing of what is in it", async () => {
    await loggedIn()
    const file = join(home, "hub/profiles.json")
    for (const text of [`{"default":{"url":"u","key":${owned.key}}}`, "null", " ".repeat(2_000_000)]) {
      writeFileSync(file, text)
      const { code, complained } = await run("whoami", [])
      expect([code, complained.join()]).toEqual([1, expect.stringContaining("holds no profiles: it is")])
      expect(complained.join()).not.toContain(owned.key.slice(0, 8))
    }
  })

  it("keeps several profiles, and forgets the one that is named", async () => {
    await loggedIn()
    await run("login", ["--url", hub.url, "--profile", "work"], {}, [owned.key])
    expect((await run("logout", ["--profile", "work"])).code).toBe(0)
    expect((await run("whoami", ["--profile", "work"])).code).toBe(1)
    expect((await run("whoami", [])).code).toBe(0)
  })
})

describe("hub call", () => {
  it("prints an answer as it came, and an error with exit code 1", async () => {
    await loggedIn()
    const { code, said } = await run("call", ["get", "me"])
    expect([code, JSON.parse(said[0]!).account.id]).toEqual([0, owned.account.accountId])
    const put = await run("call", ["PUT", `daemons/${owned.daemonId}/tags`, "--data", '{"tags":{}}'])
    expect([put.code, JSON.parse(put.said[0]!).reason]).toEqual([1, "RECENT_LOGIN_REQUIRED"])
    const error = await run("call", ["GET", "/api/v1/daemons/dmn_unknown/status"])
    expect([error.code, JSON.parse(error.said[0]!).reason]).toEqual([1, "NOT_FOUND"])
  })

  it("takes its key from the environment too", async () => {
    const env = { HUB_URL: hub.url, HUB_KEY: owned.key }
    expect((await run("call", ["GET", "daemons", "--include"], env)).complained[0]).toBe("200 OK")
  })

  const answeredBy = async (answers: RequestListener): Promise<string> => {
    const server = createServer(answers).listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it("passes the bytes of a package on as they are", async () => {
    const url = await answeredBy((_, answer) => {
      answer.writeHead(200, { "content-type": "application/octet-stream" }).end(Buffer.from("1f8b00ff1b5b0a", "hex"))
    })
    const { code, said } = await run("call", ["GET", "registry/bytes"], { HUB_URL: url, HUB_KEY: "hub_x" })
    expect([code, said]).toEqual([0, ["1f8b00ff1b5b0a"]])
  })

  it("says that an answer broke off", async () => {
    const url = await answeredBy((_, answer) => {
      answer.writeHead(200, { "content-length": 50 }).write("{", () => answer.destroy())
    })
    const { code, complained } = await run("call", ["GET", "me"], { HUB_URL: url, HUB_KEY: "hub_x" })
    expect([code, complained]).toEqual([1, [expect.stringContaining(`hub call: ${url} ended the connection`)]])
  })

  it("refuses what it cannot send, before anything is sent", async () => {
    await loggedIn()
    for (const args of [
      ["FETCH", "me"],
      ["GET", "https://elsewhere.example/"],
      ["POST", "me", "--data", "@/nowhere"],
      ["GET", "me", "--data", "{}"]
    ]) {
      const { code, complained } = await run("call", args)
      expect([code, complained[0]], args.join(" ")).toEqual([1, expect.not.stringContaining("gave no answer")])
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
    expect(await listening.ended).toBe(130)
    const { headers, text: body } = receiver.at("/hooks").at(-1)!
    const { event, deliveryId } = await webhooks.verify({ body, headers, secret })
    expect(event).toMatchObject({ event: "daemon:connect", payload: { daemonId: owned.daemonId } })
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ event: event.event })
    expect(JSON.parse(listening.said[0]!)).toMatchObject({ event: "daemon:connect", id: deliveryId, status: 200 })
  })

  it("shows a receiver that is away, and goes on", async () => {
    // of an account to which nothing else happens
    const other = await ownedDaemon(hub)
    const nowhere = `http://127.0.0.1:${await freePort()}/`
    const args = ["--forward-to", nowhere, "--event", "daemon:connect,daemon:disconnect", "--json"]
    const away = start("listen", args, { HUB_URL: hub.url, HUB_KEY: other.key })
    await until("it is open", () => away.complained.some((line) => line.includes("forwarding")))
    await (await other.connect()).leave()
    await until("both are shown", () => away.said.length === 2)
    away.interrupt()
    expect(await away.ended).toBe(130)
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
  it.each(triggerable)("has the hub send %s", async (event) => {
    // a daemon of its own: agent:status comes once in 10 s for each
    const other = await ownedDaemon(hub)
    const env = { HUB_URL: hub.url, HUB_KEY: other.key, HUB_TOKEN: other.token }
    const { code, said, complained } = await run("trigger", [event], env)
    expect([code, complained]).toEqual([0, []])
    expect(JSON.parse(said[0]!)).toMatchObject({ event, payload: { daemonId: other.daemonId } })
  })

  it("signs its owner in once for a join key, and joins by it for each event: the hub removes the daemon again", async () => {
    const password = "correct horse battery"
    const account = await hub.account({ password })
    const [key, email] = [await account.key(["ide:read"]), account.email]
    await run("login", ["--url", hub.url], {}, [key])
    const first = await run("trigger", ["daemon:connect"], {}, [email, password], true)
    expect(first).toMatchObject({ code: 0, complained: [expect.stringContaining("sign in")] })
    await run("login", ["--url", hub.url], {}, [key])
    expect(await run("trigger", ["daemon:connect"])).toMatchObject({ code: 0, complained: [] })
    const session = await account.session()
    const keys = await hub.request("GET", "/api/v1/join-keys", { session })
    expect(keys.body.joinKeys).toMatchObject([{ name: "hub trigger", uses: 2, removeAfterMinutes: 1 }])
    await hub.request("DELETE", `/api/v1/join-keys/${keys.body.joinKeys[0].id}`, { session })
    // the session is kept for its time
    expect(await run("trigger", ["daemon:connect"])).toMatchObject({ code: 0, complained: [] })
    const ids = async () =>
      (await hub.request("GET", "/api/v1/join-keys", { session })).body.joinKeys.map(({ id }: { id: string }) => id)
    const before = await ids()
    const elsewhere = { HUB_URL: hub.url, HUB_KEY: await account.key(["ide:read"]) }
    const unsaved = await run("trigger", ["daemon:connect"], elsewhere, [email, password], true)
    expect([unsaved.code, await ids()]).toEqual([0, before])
  })

  it("says what it can send, and that a token is refused", async () => {
    await loggedIn()
    expect((await run("trigger", ["nonsense"])).code).toBe(2)
    const { code, complained } = await run("trigger", ["daemon:connect"], { HUB_TOKEN: "hubd_wrong" })
    expect([code, complained[0]]).toEqual([1, expect.stringContaining("token")])
  })
})

it("hub events tail prints events with their ids, and resumes behind one", async () => {
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
  expect(await again.ended).toBe(130)
  expect(JSON.parse(again.said[0]!).id).not.toBe(id)
})

it("hub events tail is followed by tail", async () => expect((await run("events", ["head"])).code).toBe(2))
