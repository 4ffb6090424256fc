/**
 * The routes of approvals: what agents of an account wait on, read from the snapshots of its daemons. Owns the order of
 * the list; approval-answers.ts answers.
 */
import { Effect } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { type ApprovalView, approvalsOf } from "../../src/domain/approval/approval.ts"
import { bothOf, matches, readSelector } from "../../src/domain/daemon/selector.ts"
import { pageOf } from "../../src/domain/page-cursor.ts"
import { approvalsListedMax, approvalsPageMax } from "../../src/limits/approvals.ts"
import type { Approvals } from "../api/approvals.ts"
import type { Routes } from "../pipeline/action.ts"
import { approvalAnswers } from "./approval-answers.ts"
import { approvalCursor, readApprovalCursor } from "./paging.ts"

type Listing = Parameters<Routes<typeof Approvals>["list"]>[0]

const oldestFirst = (one: ApprovalView, other: ApprovalView): number =>
  one.requestedAt - other.requestedAt || (one.approvalId < other.approvalId ? -1 : 1)

const isAfter = (
  { requestedAt, approvalId }: ApprovalView,
  at: { readonly at: number; readonly id: string }
): boolean => requestedAt > at.at || (requestedAt === at.at && approvalId > at.id)

const list = Effect.fnUntraced(function* (directory: Directory["Service"], { principal, query }: Listing) {
  const after = yield* Effect.fromResult(readApprovalCursor(query.cursor))
  const given = query.selector === undefined ? undefined : yield* Effect.fromResult(readSelector(query.selector))
  const selector = bothOf(principal.selector, given) ?? []
  const snapshots = yield* directory.online(principal.accountId)
  const all = snapshots
    .filter((snapshot) => matches(selector, snapshot))
    .flatMap(approvalsOf)
    .sort(oldestFirst)
    .slice(0, approvalsListedMax)
  const rest = after === undefined ? all : all.filter((one) => isAfter(one, after))
  const { rows, last } = pageOf(rest, query.limit ?? approvalsPageMax)
  return { approvals: rows, total: all.length, ...(last !== undefined && { nextCursor: approvalCursor(last) }) }
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
