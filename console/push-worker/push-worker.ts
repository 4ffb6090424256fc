/**
 * Shows the questions that the hub tells this browser of, also while no page of the console is open. Owns what a
 * notification says and what its buttons do; keeps nothing, and has no part in what the page loads.
 */
import { visible } from "../src/visible.ts"

declare const self: ServiceWorkerGlobalScope

type Decision = "approve" | "reject"

/** What the hub tells of a question (docs/approvals.md). */
interface Question {
  readonly approvalId: string
  readonly title: string
  readonly answers?: Readonly<Partial<Record<Decision, string>>>
  readonly subject?: { readonly action: string; readonly resource: string }
}

/** Not in the library of TypeScript, as some browsers have no buttons. */
interface WithButtons extends NotificationOptions {
  readonly actions: ReadonlyArray<{ readonly action: Decision; readonly title: string }>
}

const page = "/console"
const words = { approve: "Approve", reject: "Reject" } as const

const show = (question: Question, body: string): Promise<void> => {
  const { approvalId, title, answers = {} } = question
  const offered = (["approve", "reject"] as const).filter((decision) => answers[decision] !== undefined)
  const options: WithButtons = {
    body,
    tag: approvalId,
    data: question,
    requireInteraction: true,
    actions: offered.map((action) => ({ action, title: words[action] }))
  }
  return self.registration.showNotification(visible(title), options)
}

const openInbox = async (): Promise<void> => {
  const open = await self.clients.matchAll({ type: "window", includeUncontrolled: true })
  const found = open.find(({ url }) => new URL(url).pathname === page)
  if (found === undefined) return void (await self.clients.openWindow(`${page}#/approvals`))
  found.postMessage("approvals")
  await found.focus()
}

/** Why an answer did not count; undefined: it did. */
const refusalOf = async (token: string): Promise<string | undefined> => {
  try {
    const response = await fetch("/api/v1/push-answers", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token })
    })
    const { success, error } = (await response.json()) as { readonly success?: boolean; readonly error?: string }
    return success === true ? undefined : (error ?? "The hub did not take it.")
  } catch {
    return "The hub was not reached."
  }
}

const answer = async (question: Question, token: string): Promise<void> => {
  const refusal = await refusalOf(token)
  // a token is good once: what is left is the inbox
  if (refusal !== undefined) await show({ ...question, answers: {} }, `Not answered. ${refusal}`)
}

self.addEventListener("push", (event) => {
  const question = event.data?.json() as Question
  const { subject } = question
  event.waitUntil(show(question, subject === undefined ? "" : visible(`${subject.action}: ${subject.resource}`)))
})

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event
  const question = notification.data as Question
  const token = question.answers?.[action as Decision]
  notification.close()
  event.waitUntil(token === undefined ? openInbox() : answer(question, token))
})
