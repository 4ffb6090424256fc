/**
 * The routes of approvals: what agents of an account wait on, read from the snapshots of its daemons, and the answers,
 * from wherever they come. Owns the order of the list, which question is meant and how its daemon is told; the daemon's
 * actor sees to it that the first answer counts.
 */
import { Effect } from "effect"
import { ResolvedApprovals } from "../../actors/approvals/resolved-approvals.ts"
import { Directory } from "../../actors/commands/directory.ts"
import { alreadyResolved } from "../../actors/daemon/prompt-answers.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { Answered } from "../../src/domain/approval/answered.ts"
import {
  type ApprovalView,
  approvalsOf,
  askingOf,
  daemonOfApproval,
  oldestOf
} from "../../src/domain/approval/approval.ts"
import type { Command } from "../../src/domain/command/command.ts"
import { forDaemon, isPromptChanged } from "../../src/domain/command/prompt.ts"
import { bothOf, matches, readSelector } from "../../src/domain/daemon/selector.ts"
import { AlreadyResolved, invalid, NotFound, PromptChanged } from "../../src/errors.ts"
import { approvalsPageCharsMax, approvalsPageMax } from "../../src/limits/approvals.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import type { Approvals } from "../api/approvals.ts"
import type { Routes } from "../pipeline/action.ts"
import { jsonBytes, Sending } from "../pipeline/response.ts"
import { refusalOf } from "./command-answer.ts"
import { answeredBy } from "./command-call.ts"
import { approvalCursor, readApprovalCursor } from "./paging.ts"

type Listing = Parameters<Routes<typeof Approvals>["list"]>[0]

const isAfter = (
  { requestedAt, approvalId }: ApprovalView,
  at: { readonly at: number; readonly id: string }
): boolean => requestedAt > at.at || (requestedAt === at.at && approvalId > at.id)

/** The JSON of those that a page has room for, and of one more at most. */
const textsOf = (rows: ReadonlyArray<ApprovalView>): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let chars = 0
  for (const row of rows) {
    if (chars >= approvalsPageCharsMax) break
    const text = JSON.stringify(row)
    chars += text.length
    texts.push(text)
  }
  return texts
}

const list = Effect.fnUntraced(function* (directory: Directory["Service"], { principal, query }: Listing) {
  const after = yield* readApprovalCursor(query.cursor)
  const given = query.selector === undefined ? undefined : yield* Effect.fromResult(readSelector(query.selector))
  const selector = bothOf(principal.selector, given) ?? []
  const snapshots = yield* directory.online(principal.accountId)
  const all = snapshots.filter((snapshot) => matches(selector, snapshot)).flatMap(approvalsOf)
  const rest = after === undefined ? all : all.filter((one) => isAfter(one, after))
  const limit = query.limit ?? approvalsPageMax
  const rows = oldestOf(rest, limit + 1)
  const texts = textsOf(rows.slice(0, limit))
  const last = texts.length < rows.length ? rows[texts.length - 1] : undefined
  const next = last === undefined ? "" : `,"nextCursor":${JSON.stringify(approvalCursor(last))}`
  return jsonBytes(Buffer.from(`{"approvals":[${texts.join()}],"total":${all.length}${next}}`))
})

type Answering = Parameters<Routes<typeof Approvals>["resolve"]>[0]["payload"]

const lateBy = (answered: Answered | undefined) =>
  new AlreadyResolved({ by: answered?.by, decision: answered?.decision, rule: answered?.rule })

/** What is decided, and how the daemon is told. */
const decisionOf = ({ decision, optionId }: Answering, options: ApprovalView["options"]) => {
  if ((decision === undefined) === (optionId === undefined))
    return Effect.fail(invalid("decision", "must be there, or `optionId`, and not both"))
  if (optionId !== undefined && options?.some((option) => option.optionId === optionId) !== true)
    return Effect.fail(invalid("optionId", "must be one of the question's options"))
  return Effect.succeed<{ readonly optionId: string } | { readonly action: string }>(
    decision === undefined ? { optionId: optionId! } : { action: decision }
  )
}

/** Builds what answers. A question that the principal's selector leaves out is as an unknown one. */
export const approvalAnswers = Effect.gen(function* () {
  const directory = yield* Directory
  const resolved = yield* ResolvedApprovals

  const find = Effect.fnUntraced(function* ({ accountId, selector }: Principal, approvalId: string) {
    const daemonId = daemonOfApproval(approvalId)
    if (daemonId === undefined) return yield* new NotFound()
    const snapshot = yield* directory.snapshot(accountId, daemonId)
    if (selector !== undefined && !matches(selector, snapshot)) return yield* new NotFound()
    const session = askingOf(snapshot, approvalId)
    return session === undefined ? yield* lateBy(resolved.find(approvalId)) : { snapshot, session }
  })

  return Effect.fnUntraced(function* (principal: Principal, approvalId: string, payload: Answering) {
    const { snapshot, session } = yield* find(principal, approvalId)
    const { promptId, options } = session.activeModal
    if (payload.promptId !== undefined && payload.promptId !== promptId) return yield* new PromptChanged()
    const decision = yield* decisionOf(payload, options)
    const { message } = payload
    const asked: Command = {
      accountId: snapshot.accountId,
      daemonId: snapshot.daemonId,
      type: "resolve_action",
      payload: { ...decision, promptId, ...(message !== undefined && { message }) },
      targetSessionId: session.id
    }
    const command = forDaemon(answeredBy(principal, asked, session))
    const said = "action" in decision ? decision.action : decision.optionId
    const answered = Effect.gen(function* () {
      const answer = yield* directory.command(command)
      const { success, code, result, commandId, durationMs } = answer
      if (code === alreadyResolved) return yield* lateBy(isRecord(result) ? (result as unknown as Answered) : undefined)
      if (isPromptChanged(answer)) {
        const known = resolved.find(approvalId)
        return yield* known === undefined ? new PromptChanged() : lateBy(known)
      }
      return success ? { success, approvalId, decision: said, commandId, durationMs } : refusalOf(answer)
    })
    return new Sending(command, answered)
  })
})

/** The routes of `Approvals`. */
export const approvalRoutes = Effect.gen(function* () {
  const directory = yield* Directory
  const answer = yield* approvalAnswers
  const routes: Routes<typeof Approvals> = {
    list: (call) => list(directory, call),
    resolve: ({ principal, params: { approvalId }, payload }) => answer(principal, approvalId, payload)
  }
  return routes
})
