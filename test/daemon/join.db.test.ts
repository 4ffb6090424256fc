/** `hub daemon --join`: a machine that enrols itself, over a real hub. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join as joinPath } from "node:path"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { socketUrl } from "../../daemon/hub-address.ts"
import { join } from "../../daemon/join.ts"
import type { MachineState } from "../../daemon/machine-state.ts"
import { perform } from "../../src/admin/operations.ts"
import { disabledAwayMillisMin, disabledSpreadMillis } from "../../src/limits/sockets.ts"
import { type ProxyOddity, startForeignProxy } from "../support/foreign/proxy.ts"
import { useHub } from "../support/hub.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { virtualClock } from "../support/virtual-clock.ts"
import { useDaemonProgram } from "./daemon-program.ts"

const run = useDaemonProgram()
const connected = ({ said }: ReturnType<typeof run>) =>
  until("it is connected", () => said().includes("connected daemonId="))

describe("hub daemon --join", () => {
  const hub = useHub()
  let session: string
  beforeAll(async () => {
    session = await (await hub.account()).session()
  })

  const newKey = async (more: object = {}) => {
    const made = await hub.request("POST", "/api/v1/join-keys", { session, body: { name: "k", ...more } })
    return made.body as { id: string; key: string }
  }
  const online = async () => {
    const { body } = await hub.request("GET", "/api/v1/daemons", { session })
    return body.daemons as ReadonlyArray<{ id: string; tags: unknown }>
  }

  it("enrols the machine once, keeps its token where only its user may read it, and needs the key no more", async () => {
    const { id, key } = await newKey({ tags: { env: "prod" } })
    const state = joinPath(testFolder("join"), "deep", "state.json")
    const args = ["--url", hub.url, "--state", state, "--tags", "env=dev,gpu"]
    const first = run([...args, "--join", key])
    const [daemon] = await until("it is online", async () => {
      const found = await online()
      return found.length > 0 ? found : undefined
    })
    expect(daemon!.tags).toEqual({ env: "prod", gpu: "" })
    expect(statSync(state).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(state, "utf8"))).toMatchObject({ daemonId: daemon!.id })
    first.child.kill("SIGTERM")
    expect(await first.ended).toBe(0)
    expect(first.said()).not.toContain(key)
    expect(first.said()).not.toContain("hubd_")
    await hub.request("DELETE", `/api/v1/join-keys/${id}`, { session })
    const again = run(args)
    await until("it is back", async () => (await online()).some((one) => one.id === daemon!.id))
    again.child.kill("SIGTERM")
    expect(await again.ended).toBe(0)
  })

  it("joins anew where the hub has forgotten the machine, and stays away where its token was revoked", async () => {
    const { key } = await newKey()
    const state = joinPath(testFolder("rejoin"), "state.json")
    const args = ["--url", hub.url, "--state", state, "--join", key]
    const idOf = () => JSON.parse(readFileSync(state, "utf8")).daemonId as string
    const first = run(args)
    await connected(first)
    const before = idOf()
    first.child.kill("SIGTERM")
    await first.ended
    await until("it is gone", async () => (await online()).length === 0)
    await hub.request("DELETE", `/api/v1/daemons/${before}`, { session })
    const second = run(args)
    await connected(second)
    expect(idOf()).not.toBe(before)
    await hub.request("POST", `/api/v1/daemons/${idOf()}/revoke`, { session })
    expect(await second.ended).toBe(1)
    expect(second.said()).toContain("revoked")
  })

  it("of a machine that was made from another's image, joins as one of its own by --fresh-identity", async () => {
    const { key } = await newKey()
    const state = joinPath(testFolder("image"), "state.json")
    const copied = { url: socketUrl(hub.url), machineId: "m", daemonId: "dmn_1", token: "hubd_1" }
    writeFileSync(state, JSON.stringify(copied))
    const args = ["--url", hub.url, "--state", state, "--fresh-identity"]
    const keyless = run(args)
    expect(await keyless.ended).toBe(2)
    expect(keyless.said()).toContain("--fresh-identity needs a join key")
    const machine = run([...args, "--join", key])
    await connected(machine)
    const { machineId, daemonId } = JSON.parse(readFileSync(state, "utf8"))
    expect(machineId).not.toBe("m")
    expect(machine.said()).toContain(`connected daemonId=${daemonId}`)
    machine.child.kill("SIGTERM")
    await machine.ended
  })

  it("ends with 1 and a sentence where the hub knows no such key, or the state is not its own", async () => {
    const folder = testFolder("refused")
    const unknown = run(["--url", hub.url, "--state", joinPath(folder, "new.json"), "--join", "hubj_x"])
    expect(await unknown.ended).toBe(1)
    expect(unknown.said()).toContain("does not know this join key")
    const other = joinPath(folder, "other.json")
    writeFileSync(other, JSON.stringify({ url: "ws://elsewhere/", machineId: "m", token: "t" }))
    const misplaced = run(["--url", hub.url, "--state", other, "--join", "hubj_x"])
    expect(await misplaced.ended).toBe(1)
    expect(misplaced.said()).toContain("is of ws://elsewhere/")
  })

  /** In this process, by a proxy's address; its pauses pass when `again` is called. */
  const joinBy = async (key: string, oddities: ReadonlyArray<ProxyOddity>) => {
    const proxy = await startForeignProxy(hub.url)
    onTestFinished(proxy.close)
    proxy.next(...oddities)
    const lines: Array<string> = []
    const clock = virtualClock(0)
    const stopping = new AbortController()
    onTestFinished(() => stopping.abort())
    let state: MachineState | undefined
    void join({
      url: socketUrl(proxy.url),
      key,
      stateFile: joinPath(testFolder("proxied"), "state.json"),
      name: undefined,
      clock,
      log: (what, facts) => lines.push(`${what} ${JSON.stringify(facts ?? {})}`),
      signal: stopping.signal
    }).then((joined) => {
      state = joined
    })
    const joined = () =>
      until("it has joined", () => {
        clock.advance(disabledAwayMillisMin + disabledSpreadMillis)
        return state?.token
      })
    return { proxy, lines, joined }
  }

  it("tries again whatever a proxy answers in the hub's stead, and follows no redirect but names it", async () => {
    const { key } = await newKey()
    const address = "https://hub.example"
    const oddities = [
      "html 400",
      "html 401",
      "html 403",
      "html 404",
      "cut",
      `308 ${address}/api/v1/daemons/join`
    ] as const
    const { proxy, lines, joined } = await joinBy(key, oddities)
    expect(await joined()).toMatch(/^hubd_/u)
    expect(proxy.asked).toHaveLength(oddities.length + 1)
    expect(lines).toContain(`${proxy.url} answers 308 to ${address}: use that address {}`)
    expect(lines).toContain(`${proxy.url} answers 403 (text/html, front), which does not come from a hub {}`)
  })

  it("waits for an account that is disabled, and joins once it is enabled", async () => {
    const account = await hub.account()
    const made = await hub.request("POST", "/api/v1/join-keys", {
      session: await account.session(),
      body: { name: "k" }
    })
    const operate = async (op: "account disable" | "account enable") =>
      expect(await hub.inside(perform({ op, account: account.accountId }))).toMatchObject({ ok: true })
    await operate("account disable")
    const { lines, joined } = await joinBy((made.body as { key: string }).key, [])
    await until("it is told", () => lines.some((line) => line.includes("ACCOUNT_DISABLED")))
    await operate("account enable")
    expect(await joined()).toMatch(/^hubd_/u)
  })

  it("waits for a hub that is not there, and ends on a signal", async () => {
    const lost = run(["--url", "http://127.0.0.1:1", "--state", joinPath(testFolder("away"), "s.json"), "--join", "k"])
    await until("it tries", () => lost.said().includes("joining failed"))
    lost.child.kill("SIGTERM")
    expect(await lost.ended).toBe(0)
  })
})
