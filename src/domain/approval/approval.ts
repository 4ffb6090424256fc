/**
 * Approvals: the questions that agents wait on, read from what daemons report, and nothing stored. Owns their ids, what
 * is shown of one, and which began and ended between two reports. Pure.
 */
import { hash } from "node:crypto"
import { approvalTimeMax } from "../../limits/approvals.ts"
import type { SessionReport } from "../../protocol/frames.ts"
import type { Snapshot } from "../daemon/snapshot.ts"
import { parentOf } from "../daemon/target-resolution.ts"
import { workspaceNameOf } from "../daemon/workspace.ts"
import { isId, prefixes } from "../ids.ts"

/** A session that waits on a question. */
export type Asking = SessionReport & {
  readonly activeModal: NonNullable<SessionReport["activeModal"]> & { readonly promptId: string }
}

const digestChars = 22
const idForm = new RegExp(`^apr_([0-9a-z]{20})_([\\w-]{${digestChars}})$`, "u")

/** The id of a question: the same on every node, and another for each question. */
export const approvalIdOf = (daemonId: string, { id, activeModal }: Asking): string =>
  `apr_${daemonId.slice(prefixes.daemon.length + 1)}_${hash("sha256", JSON.stringify([id, activeModal.promptId]), "base64url").slice(0, digestChars)}`

/** The daemon of an approval; undefined: it is no id of one. */
export const daemonOfApproval = (approvalId: string): string | undefined => {
  const daemonId = `${prefixes.daemon}_${idForm.exec(approvalId)?.[1] ?? ""}`
  return isId("daemon", daemonId) ? daemonId : undefined
}

/** Whether a session waits on a question that has a name. */
const isAsking = (session: SessionReport): session is Asking => session.activeModal?.promptId !== undefined

/** A daemon may take any number for a time: one that is none would end the pages of the inbox. */
const timeOf = (given: number): number => Math.trunc(Math.min(Math.max(0, given), approvalTimeMax))

/** What is shown of an approval. */
export const approvalView = (snapshot: Snapshot, session: Asking) => {
  const { promptId, message, buttons, askedAt, expiresAt, subject, options } = session.activeModal
  const workspaceName = workspaceNameOf(session, parentOf(snapshot, session))
  return {
    approvalId: approvalIdOf(snapshot.daemonId, session),
    daemonId: snapshot.daemonId,
    sessionId: session.id,
    promptId,
    providerType: session.providerType,
    ...(workspaceName !== undefined && { workspaceName }),
    title: message,
    buttons,
    ...(options !== undefined && { options }),
    ...(subject !== undefined && { subject }),
    requestedAt: timeOf(askedAt ?? snapshot.observedAt ?? 0),
    ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) })
  }
}
export type ApprovalView = ReturnType<typeof approvalView>

// once for all who read the same report: each id is a digest
const viewsBySessions = new WeakMap<Snapshot["sessions"], ReadonlyArray<ApprovalView>>()

const none: ReadonlyArray<ApprovalView> = []

/** What a daemon's agents wait on. */
export const approvalsOf = (snapshot: Snapshot): ReadonlyArray<ApprovalView> => {
  const { online, sessions } = snapshot
  if (!online) return none
  const known = viewsBySessions.get(sessions)
  if (known !== undefined) return known
  const views = sessions.filter(isAsking).map((session) => approvalView(snapshot, session))
  viewsBySessions.set(sessions, views)
  return views
}

const inOrder = (one: ApprovalView, other: ApprovalView): number =>
  one.requestedAt - other.requestedAt || (one.approvalId < other.approvalId ? -1 : 1)

/** So many of those that were asked first, in order. There may be tens of thousands: few are sorted at a time. */
export const oldestOf = (all: ReadonlyArray<ApprovalView>, count: number): ReadonlyArray<ApprovalView> => {
  const found: Array<ApprovalView> = []
  let last: ApprovalView | undefined
  for (const one of all) {
    if (last !== undefined && inOrder(one, last) > 0) continue
    if (found.push(one) < 2 * count) continue
    found.sort(inOrder).length = count
    last = found.at(-1)
  }
  return found.sort(inOrder).slice(0, count)
}

/** The session of a daemon that waits on this question. */
export const askingOf = (snapshot: Snapshot, approvalId: string): Asking | undefined =>
  snapshot.sessions.filter(isAsking).find((session) => approvalIdOf(snapshot.daemonId, session) === approvalId)

/** Questions that began and ended between two reports. Undefined: none, as nearly always. */
export const approvalChanges = (
  before: ReadonlyArray<SessionReport>,
  after: ReadonlyArray<SessionReport>
): { readonly requested: ReadonlyArray<Asking>; readonly resolved: ReadonlyArray<Asking> } | undefined => {
  const [were, are] = [before.filter(isAsking), after.filter(isAsking)]
  if (were.length === 0 && are.length === 0) return undefined
  const keyOf = ({ id, activeModal }: Asking): string => JSON.stringify([id, activeModal.promptId])
  const known = new Set(were.map(keyOf))
  const left = new Set(are.map(keyOf))
  const requested = are.filter((session) => !known.has(keyOf(session)))
  const resolved = were.filter((session) => !left.has(keyOf(session)))
  return requested.length + resolved.length === 0 ? undefined : { requested, resolved }
}
