/**
 * What agents of the account wait on, for every view: read when the page begins, and when an event says that an agent
 * does something else. Owns the reading; a view answers.
 */
import type { Output } from "@hub/client"
import { gatherMillis, inboxAgainMillis, inboxFirstMillis, rowsShownMax } from "../limits.ts"
import { type HubEvent, listenToEvents } from "./live-events.ts"
import { client, onOtherOwner, session } from "./session.ts"
import { Store } from "./store.ts"

export type PendingApproval = Output<"approvals.list">["approvals"][number]

/** What waits, the oldest first, as far as it is read; how many there are, and whether more of them can be read. */
export interface Inbox {
  readonly approvals: ReadonlyArray<PendingApproval>
  readonly total: number
  readonly hasMore: boolean
}

const empty: Inbox = { approvals: [], total: 0, hasMore: false }

/** The inbox of whichever owner is signed in. */
export const inbox = new Store<Inbox>(empty)

let turn = 0
let wanted = 1

/** The pages that are wanted. */
const readPages = async (): Promise<Inbox> => {
  const approvals: Array<PendingApproval> = []
  let cursor: string | undefined
  for (;;) {
    const page = await client.approvals.list(cursor === undefined ? {} : { cursor })
    approvals.push(...page.approvals)
    cursor = page.nextCursor
    const isFull = approvals.length >= rowsShownMax
    if (cursor === undefined || isFull || approvals.length >= wanted)
      return { approvals, total: page.total, hasMore: cursor !== undefined && !isFull }
  }
}

/** Reads it anew. What cannot be read stays as it was: the next event reads it again. */
const readInbox = async (): Promise<void> => {
  const own = ++turn
  if (session.value === undefined) return
  try {
    const read = await readPages()
    if (own === turn) inbox.set(read)
  } catch {
    // the view of it says nothing of a failure: what else it reads does
  }
}

const telling: ReadonlySet<string> = new Set([
  "agent:waiting_approval",
  "agent:waiting_choice",
  "agent:status",
  "agent:generating_completed",
  "agent:stopped"
])

/** Whether an event may change what waits. One that leaves takes its own with it. */
const concerns = (event: HubEvent): boolean =>
  telling.has(event.event) ||
  (event.event === "daemon:disconnect" &&
    inbox.value.approvals.some(({ daemonId }) => daemonId === event.payload.daemonId))

let wait: ReturnType<typeof setTimeout> | undefined
let readAt = Number.NEGATIVE_INFINITY

/** Reads it soon: at once where it was not read for a while, however many events say so. */
export const readInboxSoon = (): void => {
  if (wait !== undefined) return
  const due = Math.max(inboxFirstMillis, readAt + gatherMillis - performance.now())
  wait = setTimeout(() => {
    wait = undefined
    readAt = performance.now()
    // what waits may be answered elsewhere, of which a report alone tells
    void readInbox().then(() =>
      setTimeout(() => inbox.value.total > 0 && !document.hidden && readInboxSoon(), inboxAgainMillis)
    )
  }, due)
}

/** Reads a page more, and keeps it up to date too. */
export const readMore = (): void => {
  wanted = inbox.value.approvals.length + 1
  readInboxSoon()
}

/** Goes back to the first page. */
export const readFirst = (): void => {
  wanted = 1
}

/** Keeps it up to date from now on. */
export const followInbox = (): void => {
  onOtherOwner(() => {
    turn++
    wanted = 1
    inbox.set(empty)
  })
  session.listen(readInboxSoon)
  listenToEvents((event) => {
    if (event === "gap" || concerns(event)) readInboxSoon()
  })
  addEventListener("visibilitychange", () => document.hidden || readInboxSoon())
  readInboxSoon()
}
