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

  it("select daemons online and offline", async () => {
    const owner = await hub.account()
    const as = await owner.session()
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
