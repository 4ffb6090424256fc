/** Browsers are told of questions and answer them: of which, with what, and until when. */
import { describe, expect, it } from "vitest"
import { pushTokens } from "../../../src/auth/checksummed-token.ts"
import { ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { startPushService } from "../../support/push/push-service.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"

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
  const service = useStarted(startPushService)

  const scene = async () => {
    const mine = await ownedDaemon(hub)
    const session = await mine.account.session()
    const subscribe = async (path: string, more: object = {}, as = session) => {
      const browser = service.browser(path)
      const { body } = await hub.request("POST", subscriptions, { session: as, body: { ...browser.body, ...more } })
      return { ...browser, id: body.id as string }
    }
    const listed = async () => (await hub.request("GET", subscriptions, { session })).body
    return { ...mine, session, subscribe, listed, peer: await mine.connect({ report: [reported("s1")] }) }
  }

  const told = (browser: Parameters<typeof service.sent>[0]) => until("the message", () => service.sent(browser)[0])
  const answer = (token: unknown) => hub.request("POST", "/api/v1/push-answers", { body: { token } })

  it("tells a browser of a question by its id and title, and what it is about only where that is wanted", async () => {
    const [mine, other] = [await scene(), await scene()]
    const [plain, full] = [await mine.subscribe("/plain"), await mine.subscribe("/full", { showsSubject: true })]
    const stranger = await other.subscribe("/stranger")
    mine.peer.report([reported("s1", asks("p1"))])
    const [got, more] = [await told(plain), await told(full)]
    const { approvals } = (await mine.get("/api/v1/approvals")).body
    const token = expect.stringMatching(/^hubp_\w{36}$/u)
    const answers = { approve: token, reject: token }
    expect(got.said).toEqual({ approvalId: approvals[0].approvalId, title: "Push p1?", answers })
    expect(more.said).toEqual({ ...got.said, answers, subject: { action: "execute", resource: "git push" } })
    const tokens = [got, more].flatMap(({ said }) => Object.values(said.answers))
    expect(new Set(tokens).size).toBe(4)
    expect(got.headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400", urgency: "high" })
    // its sender is the one whose key the browser was given
    expect(got.headers.authorization).toContain(`k=${(await mine.listed()).publicKey}`)
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
    await until("the next", () => service.sent(broken).some(({ said }) => said.title === "Push p2?"))
    expect([service.sent(gone).length, await left()]).toEqual([1, [broken.id]])
  })

  it("answers its question by a token, once, as the person of its browser", async () => {
    const mine = await scene()
    const member = await mine.account.member("operator")
    const browser = await mine.subscribe("/answers", {}, await member.session())
    mine.peer.report([reported("s1", asks("p1"))])
    const { approvalId, answers } = (await told(browser)).said
    const first = answer(answers.approve)
    const command = await mine.peer.nextCommand()
    expect(command).toMatchObject({
      type: "resolve_action",
      targetSessionId: "s1",
      payload: { action: "approve", promptId: "p1", by: "person" }
    })
    const by = { kind: "person", id: member.personId }
    expect(await answer(answers.reject)).toMatchObject({ status: 409, body: { reason: "ALREADY_RESOLVED", by } })
    command.succeed({})
    expect(await first).toMatchObject({ status: 200, body: { success: true, approvalId, decision: "approve" } })
    for (const replayed of [answers.approve, answers.reject, pushTokens.make(), "hubp_x", "x".repeat(99)])
      expect(await answer(replayed)).toMatchObject({ status: 404, body: { reason: "NOT_FOUND" } })
    const { events } = await until("it is audited", async () => {
      const { body } = await hub.request("GET", "/api/v1/audit?action=command.sent&outcome=done", {
        session: mine.session
      })
      return body.events.length > 0 && body
    })
    const actor = { kind: "session", id: browser.id, person: member.personId }
    expect(events).toMatchObject([{ actor, detail: "resolve_action" }])
  })

  it("answers nothing for a person who is removed, may not by now, or is bound to other machines", async () => {
    const mine = await scene()
    const changes = {
      removed: { change: ["DELETE"], status: 404 },
      viewer: { change: ["PATCH", { role: "viewer" }], status: 403 },
      elsewhere: { change: ["PATCH", { selector: "env=other" }], status: 404 }
    } as const
    const people = await Promise.all(
      Object.entries(changes).map(async ([name, { change, status }]) => {
        const member = await mine.account.member("operator")
        const browser = await mine.subscribe(`/${name}`, {}, await member.session())
        return { member, browser, change, status }
      })
    )
    mine.peer.report([reported("s1", asks("p1"))])
    for (const { member, browser, change, status } of people) {
      const { answers } = (await told(browser)).said
      const [method, body] = change
      const changed = { session: mine.session, ...(body !== undefined && { body }) }
      expect(await hub.request(method, `/api/v1/members/${member.personId}`, changed)).toMatchObject({ status: 200 })
      expect(await answer(answers.approve)).toMatchObject({ status })
    }
    expect((await mine.get("/api/v1/approvals")).body.total).toBe(1)
  })
})
