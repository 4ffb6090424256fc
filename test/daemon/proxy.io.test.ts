/** A machine in a company's network, where a proxy reaches the hub: joining, the socket, and a person's commands. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { hasTinyproxy, startTinyproxy } from "../support/foreign/tinyproxy.ts"
import { useHub } from "../support/hub.ts"
import { command } from "../support/hub-command.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { useDaemonProgram } from "./daemon-program.ts"

describe.skipIf(!hasTinyproxy)("behind a proxy", () => {
  const hub = useHub()
  const start = useDaemonProgram()

  const joinKey = async (): Promise<string> => {
    const session = await (await hub.account()).session()
    return (await hub.request("POST", "/api/v1/join-keys", { session, body: { name: "k" } })).body.key
  }
  const daemon = async (env: Record<string, string>) => {
    const state = join(testFolder("state"), "daemon.json")
    const key = await joinKey()
    return start(["--url", hub.url, "--state", state], { HUB_JOIN_KEY: key, ...env })
  }

  it("a machine joins and connects through it, with its password, which no line repeats", async () => {
    const proxy = await startTinyproxy("hunter2")
    const { said } = await daemon({ HTTP_PROXY: proxy.url })
    await until("it is connected", () => said().includes("connected daemonId="))
    const { host } = new URL(hub.url)
    expect(proxy.requests()).toEqual([`CONNECT ${host} HTTP/1.1`, `CONNECT ${host} HTTP/1.1`])
    expect(said()).toContain(`reaching the hub through the proxy ${new URL(proxy.url).host}`)
    expect(said()).not.toContain("hunter2")
  })

  it("a machine goes past it where NO_PROXY names the hub", async () => {
    const proxy = await startTinyproxy()
    const { said } = await daemon({ HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" })
    await until("it is connected", () => said().includes("connected daemonId="))
    expect(proxy.requests()).toEqual([])
  })

  it("a machine says that the proxy refuses it, and tries again", async () => {
    const proxy = await startTinyproxy("hunter2")
    const { said } = await daemon({ HTTP_PROXY: proxy.url.replace("hunter2", "wrong") })
    await until("it says so", () => /407|401/u.test(said()))
  })

  it("a machine is told what is wrong where the proxy is no address, and does not repeat it", async () => {
    const { ended, said } = await daemon({ HTTP_PROXY: "socks5://user:hunter2@127.0.0.1" })
    expect(await ended).toBe(2)
    expect(said()).toContain("the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY) is no http address")
    expect(said()).not.toContain("hunter2")
  })

  it("a person's commands go through it", async () => {
    const proxy = await startTinyproxy()
    const key = await (await hub.account()).key(["ide:read"])
    const env = {
      HOME: testFolder("home"),
      HUB_URL: hub.url,
      HUB_KEY: key,
      HTTP_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: "1"
    }
    const { code, stdout } = await command(["call", "GET", "/api/v1/daemons"], env)
    expect([code, stdout]).toEqual([0, expect.stringContaining('"daemons"')])
    expect(proxy.requests().length).toBeGreaterThan(0)
  })
})
