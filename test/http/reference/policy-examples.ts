/** The examples of policies and approvals. Owns the calls that are recorded; compares nothing. */
import { ownedDaemon, reported } from "../../support/connected-daemon.ts"
import type { TestHub } from "../../support/hub.ts"
import { startPushService } from "../../support/push/push-service.ts"
import { until } from "../../support/until.ts"
import type { Receiver } from "../../support/webhook-receiver.ts"
import type { Recorder } from "./recorded-examples.ts"

const api = "/api/v1"

/** Read anything, run the tests, ask for the rest, deny pushes. */
const everyday = {
  selector: "env=dev",
  rules: [
    { action: "read", resource: "*", effect: "allow" },
    { action: "search", resource: "*", effect: "allow" },
    { action: "execute", resource: "npm test *", effect: "allow" },
    { action: "execute", resource: "git push *", effect: "deny" }
  ],
  timeoutSeconds: 900
}

const asking = {
  promptId: "prompt-9",
  message: "Run `npm publish`?",
  buttons: ["Allow", "Deny"],
  askedAt: 1_790_000_000_000,
  expiresAt: 1_790_000_900_000,
  subject: { action: "execute", resource: "npm publish" },
  options: [{ optionId: "once", name: "Allow", kind: "allow_once" }]
}

/** What `PushSubscription.toJSON()` gives, of the example of RFC 8291. */
const browser = {
  endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg"
  }
}

/** A question from its beginning to its end. */
const recordApprovals = async (hub: TestHub, receiver: Receiver, { call, event }: Recorder): Promise<void> => {
  const mine = await ownedDaemon(hub)
  const { key } = mine
  const session = await mine.account.session()
  const hook = {
    url: receiver.url("/approvals"),
    events: [],
    additionalEvents: ["approval:requested", "approval:resolved"]
  }
  await hub.request("POST", `${api}/webhooks`, { session, body: hook })
  const waits = reported("s1", { providerType: "codex-cli", status: "waiting_approval", activeModal: asking })
  const peer = await mine.connect({ report: [waits] })
  peer.answerWith(() => ({}))
  const told = (name: string) =>
    until(name, () => receiver.at("/approvals").find(({ body }) => body.event === name)?.body)
  event("approval:requested", await told("approval:requested"))
  const { approvals } = await call(hub, "approvals.list", 200, `GET ${api}/approvals`, { key })
  const path = `${api}/approvals/${approvals[0].approvalId}`
  await call(hub, "approvals.resolve", 200, `POST ${path}`, {
    key,
    body: { decision: "approve", promptId: "prompt-9" }
  })
  peer.report([reported("s1", { providerType: "codex-cli" })])
  event("approval:resolved", await told("approval:resolved"))

  const service = await startPushService()
  const phone = service.browser("/phone")
  await hub.request("POST", `${api}/push-subscriptions`, { session, body: phone.body })
  peer.report([{ ...waits, activeModal: { ...asking, promptId: "prompt-10", expiresAt: undefined } }])
  const { said } = await until("the push message", () => service.sent(phone)[0])
  const body = { token: said.answers.approve }
  await call(hub, "pushSubscriptions.answer", 200, `POST ${api}/push-answers`, { body })
  await service.close()
  await peer.leave()
}

/** Records them. */
export const recordPolicies = async (hub: TestHub, receiver: Receiver, recorder: Recorder): Promise<void> => {
  const { call } = recorder
  await recordApprovals(hub, receiver, recorder)
  const session = await (await hub.account()).session()
  const path = `${api}/policies`
  await call(hub, "policies.set", 200, `PUT ${path}/everyday`, { session, body: everyday })
  await call(hub, "policies.show", 200, `GET ${path}/everyday`, { session })
  await call(hub, "policies.list", 200, `GET ${path}`, { session })
  const body = {
    action: "execute",
    resource: "npm test && git push --force",
    provider: "claude",
    cwd: "/home/ada/shop"
  }
  await call(hub, "policies.evaluate", 200, `POST ${path}/everyday/evaluate`, { session, body })
  await call(hub, "policies.remove", 200, `DELETE ${path}/everyday`, { session })

  const browsers = `${api}/push-subscriptions`
  const added = await call(hub, "pushSubscriptions.add", 201, `POST ${browsers}`, { session, body: browser })
  await call(hub, "pushSubscriptions.list", 200, `GET ${browsers}`, { session })
  await call(hub, "pushSubscriptions.remove", 200, `DELETE ${browsers}/${added.id}`, { session })
}
