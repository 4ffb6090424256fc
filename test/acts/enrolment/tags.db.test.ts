/** Tags of daemons, and lists by selector. */
import { beforeAll, describe, expect, it } from "vitest"
import { tagsPerDaemonMax } from "../../../src/limits.ts"
import { inTurn, ownedDaemon } from "../../support/connected-daemon.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const path = "/api/v1/daemons"

const hub = useHub()

describe("tags", () => {
  let account: TestAccount
  let session: string
  beforeAll(async () => {
    account = await hub.account()
    session = await account.session()
  })

  const put = (daemonId: string, tags: unknown, as = session) =>
    hub.request("PUT", `${path}/${daemonId}/tags`, { session: as, body: { tags } })
  const listed = async (query: string): Promise<ReadonlyArray<string>> => {
    const { body } = await hub.request("GET", `${path}?${query}`, { session })
    return body.daemons.map(({ id }: { id: string }) => id)
  }
  const shown = async (daemonId: string) => (await hub.request("GET", `${path}/${daemonId}/status`, { session })).body

  it("of the owner and the daemon are shown together, at once, and outlive the connection and the hub", async () => {
    const { daemonId, token } = await account.daemonToken()
    const daemon = await connectDaemon(hub, token, { auth: { tags: { env: "dev", gpu: "", Bad: 1 } }, report: [] })
    expect(await shown(daemonId)).toMatchObject({ tags: { env: "dev", gpu: "" }, ownerTags: {} })
    expect(await put(daemonId, { env: "prod", team: "a" })).toMatchObject({
      status: 200,
      body: { success: true, tags: { env: "prod", gpu: "", team: "a" }, ownerTags: { env: "prod", team: "a" } }
    })
    expect(await listed("selector=env%3Dprod,gpu")).toEqual([daemonId])
    // a report does not bring the older ones back
    daemon.report([])
    await until("the report is taken", async () => (await shown(daemonId)).observedAt !== null)
    expect(await shown(daemonId)).toMatchObject({ tags: { env: "prod", gpu: "", team: "a" } })
    await daemon.leave()
    await until("it is offline", async () => !(await shown(daemonId)).online)
    expect(await shown(daemonId)).toMatchObject({ tags: { env: "prod", gpu: "", team: "a" } })
    expect(await put(daemonId, {})).toMatchObject({ body: { tags: { env: "dev", gpu: "" }, ownerTags: {} } })
    await put(daemonId, { site: "köln" })
    await hub.restart()
    expect(await shown(daemonId)).toMatchObject({ tags: { env: "dev", gpu: "", site: "köln" } })
    const again = await connectDaemon(hub, token, { report: [] })
    expect(await shown(daemonId)).toMatchObject({ online: true, tags: { site: "köln" } })
    await again.leave()
  })

  it("select daemons online and offline", async () => {
    const { account: owner, session: as } = await hub.signedIn()
    const [one, two, three] = [await owner.daemonToken(), await owner.daemonToken(), await owner.daemonToken()]
    for (const [{ daemonId }, n] of [
      [one, "1"],
      [two, "2"],
      [three, "3"]
    ] as const)
      await put(daemonId, { even: "", n }, as)
    const daemon = await connectDaemon(hub, three.token, { report: [] })
    const found = async (query: string) => {
      const { body } = await hub.request("GET", `${path}?${query}`, { session: as })
      return body.daemons.map(({ id }: { id: string }) => id)
    }
    expect(await found("selector=even,n!=2&include=offline")).toEqual([three.daemonId, one.daemonId])
    expect(await found("selector=!even")).toEqual([])
    await daemon.leave()
  })

  it("are refused where they do not fit", async () => {
    const { daemonId } = await account.daemonToken()
    expect(await put(daemonId, { Env: "x" })).toMatchObject({ status: 400 })
    expect(await put(daemonId, { env: 1 })).toMatchObject({ status: 400 })
    const bad = await hub.request("GET", `${path}?selector=a,,b`, { session })
    expect(bad).toMatchObject({ status: 400, body: { issues: [{ path: "selector" }] } })
  })
})

describe("tags in auth", () => {
  it("P112: are kept as far as they fit, and the rest is counted without its key", async () => {
    const mine = await ownedDaemon(hub)
    const many = Object.fromEntries(Array.from({ length: tagsPerDaemonMax + 1 }, (_, at) => [`k${at}`, "v"]))
    const peer = await mine.connect({
      auth: { tags: { "Secret Key": "x", long: "v".repeat(64), n: 1, a: "b,c", ...many } }
    })
    await inTurn(peer)
    const shown = await mine.status()
    expect(Object.keys(shown.tags)).toEqual(Object.keys(many).slice(0, tagsPerDaemonMax))
    expect(shown.problems).toEqual([
      { at: "auth.tags", reason: "has a key or a value that does not fit" },
      { at: "auth.tags", reason: `is beyond the ${tagsPerDaemonMax} that are kept` }
    ])
    await peer.leave()
  })

  it("P112: that are no object, or null, are none", async () => {
    for (const tags of [null, "env=prod", ["env"]]) {
      const mine = await ownedDaemon(hub)
      const peer = await mine.connect({ auth: { tags } })
      await inTurn(peer)
      expect((await mine.status()).tags).toEqual({})
      await peer.leave()
    }
  })

  it("P113: give way to the owner's of the same key, and are replaced by the next auth", async () => {
    const mine = await ownedDaemon(hub)
    const peer = await mine.connect({ auth: { tags: { env: "dev", gpu: "" } } })
    await inTurn(peer)
    const session = await mine.account.session()
    const put = (tags: unknown) =>
      hub.request("PUT", `/api/v1/daemons/${mine.daemonId}/tags`, { session, body: { tags } })
    await put({ env: "prod" })
    expect((await mine.status()).tags).toEqual({ env: "prod", gpu: "" })
    await put({})
    expect((await mine.status()).tags).toEqual({ env: "dev", gpu: "" })
    const next = await mine.connect({ auth: { tags: { arch: "arm" } } })
    await inTurn(next)
    expect((await mine.status()).tags).toEqual({ arch: "arm" })
    const last = await mine.connect()
    await inTurn(last)
    expect((await mine.status()).tags).toEqual({})
    await last.leave()
  })
})
