/** Browsers are told of questions: of which, with what, and until when. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { startPushService } from "../../support/push/push-service.ts"
import { until } from "../../support/until.ts"

const subscriptions = "/api/v1/push-subscriptions"
const asks = (promptId: string) => ({
  status: "waiting_approval",
  activeModal: {
    promptId,
    message: `Push ${promptId}?`,
    buttons: ["Yes", "No"],
    subject: { action: "execute", resource: "git push" }
  }
})

describe("a push message", () => {
  const hub = useHub()
  let service: Awaited<ReturnType<typeof startPushService>>
  beforeAll(async () => {
    service = await startPushService()
  })
  afterAll(() => service.close())

  const scene = async () => {
    const mine = await ownedDaemon(hub)
    const session = await mine.account.session()
    const subscribe = async (path: string, more: object = {}) => {
      const browser = service.browser(path)
      const { body } = await hub.request("POST", subscriptions, { session, body: { ...browser.body, ...more } })
      return { ...browser, id: body.id as string }
    }
    const listed = async () => (await hub.request("GET", subscriptions, { session })).body
    return { ...mine, subscribe, listed, peer: await mine.connect({ report: [reported("s1")] }) }
  }

  it("tells a browser of a question by its id and title, and what it is about only where that is wanted", async () => {
    const [mine, other] = [await scene(), await scene()]
    const [plain, full] = [await mine.subscribe("/plain"), await mine.subscribe("/full", { showsSubject: true })]
    const stranger = await other.subscribe("/stranger")
    mine.peer.report([reported("s1", asks("p1"))])
    const [got] = await until("the message", () => (service.sent(plain).length > 0 ? service.sent(plain) : undefined))
    const [more] = await until("the other", () => (service.sent(full).length > 0 ? service.sent(full) : undefined))
    const { approvals } = (await mine.get("/api/v1/approvals")).body
    expect(got!.said).toEqual({ approvalId: approvals[0].approvalId, title: "Push p1?" })
    expect(more!.said).toEqual({ ...got!.said, subject: { action: "execute", resource: "git push" } })
    expect(got!.headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400", urgency: "high" })
    // its sender is the one whose key the browser was given
    expect(got!.headers.authorization).toContain(`k=${(await mine.listed()).publicKey}`)
    expect(service.sent(stranger)).toEqual([])
  })

  it("is sent no more to a browser that its push service does not know", async () => {
    const mine = await scene()
    const [gone, broken] = [await mine.subscribe("/gone"), await mine.subscribe("/broken")]
    service.answer("/gone", 410)
    service.answer("/broken", 500)
    mine.peer.report([reported("s1", asks("p1"))])
    const left = async () => (await mine.listed()).subscriptions.map(({ id }: { id: string }) => id)
    await until("it is removed", async () => !(await left()).includes(gone.id))
    mine.peer.report([reported("s1", asks("p2"))])
    await until("the next", () => service.sent(broken).length === 2)
    expect([service.sent(gone).length, await left()]).toEqual([1, [broken.id]])
  })
})
