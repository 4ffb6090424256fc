/** Tags of daemons, and lists by selector. */
import { beforeAll, describe, expect, it } from "vitest"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const path = "/api/v1/daemons"

describe("tags", () => {
  const hub = useHub()
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

  it("select daemons online and offline, over pages too", async () => {
    const owner = await hub.account()
    const as = await owner.session()
    const ids: Array<string> = []
    for (const at of [0, 1, 2, 3, 4, 5]) {
      const { daemonId } = await owner.daemonToken()
      ids.push(daemonId)
      await put(daemonId, { n: `${at}`, ...(at % 2 === 0 && { even: "" }) }, as)
    }
    const { token, daemonId: online } = await owner.daemonToken()
    await put(online, { even: "" }, as)
    const daemon = await connectDaemon(hub, token, { report: [] })
    const pages: Array<ReadonlyArray<string>> = []
    for (let cursor = ""; ; ) {
      const query = `selector=even,n!=2&include=offline&limit=1${cursor}`
      const { body } = await hub.request("GET", `${path}?${query}`, { session: as })
      pages.push(body.daemons.map(({ id }: { id: string }) => id))
      if (body.nextCursor === undefined) break
      cursor = `&cursor=${body.nextCursor}`
    }
    expect(pages.flat()[0]).toBe(online)
    expect(pages.flat().slice(1).toSorted()).toEqual([ids[0], ids[4]].toSorted())
    const plain = await hub.request("GET", `${path}?selector=!even`, { session: as })
    expect(plain.body.daemons).toEqual([])
    await daemon.leave()
  })

  it("are refused where they do not fit, and of another account's daemon as of none", async () => {
    const { daemonId } = await account.daemonToken()
    const stranger = await (await hub.account()).session()
    expect(await put(daemonId, { Env: "x" })).toMatchObject({ status: 400 })
    expect(await put(daemonId, { env: 1 })).toMatchObject({ status: 400 })
    const [theirs, none] = [await put(daemonId, {}, stranger), await put("dmn_nothing", {})]
    expect([theirs.status, none.status]).toEqual([404, 404])
    const bad = await hub.request("GET", `${path}?selector=a,,b`, { session })
    expect(bad).toMatchObject({ status: 400, body: { issues: [{ path: "selector" }] } })
  })
})
