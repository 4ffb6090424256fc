/** The chapter of push subscriptions: a browser is added and removed, and a token that answers nothing is refused. */
import { makeBrowser } from "../../support/push/browser-keys.ts"
import type { Calls } from "./calls.ts"
import { answered, refused } from "./fixture.ts"

export const push = async (session: Calls, anyone: Calls): Promise<void> => {
  const { p256dh, auth } = makeBrowser()
  const body = { endpoint: "https://push.example.com/send/1", keys: { p256dh, auth }, showsSubject: true }
  const { id } = await answered(session["pushSubscriptions.add"]({ body }), 201)
  const unreadable = { ...body, keys: { p256dh: "BA", auth } }
  await refused(session["pushSubscriptions.add"]({ body: unreadable }), 400, "VALIDATION_FAILED")
  await answered(session["pushSubscriptions.list"]({}))
  const path = { pushSubscriptionId: id }
  await answered(session["pushSubscriptions.remove"]({ path }))
  await refused(session["pushSubscriptions.remove"]({ path }), 404, "NOT_FOUND")
  await refused(anyone["pushSubscriptions.answer"]({ body: { token: `hubp_${"x".repeat(36)}` } }), 404, "NOT_FOUND")
}
