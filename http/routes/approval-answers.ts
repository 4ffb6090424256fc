/**
 * Answers a question of the inbox, from wherever the answer comes. Owns which question is meant and how its daemon is
 * told; the daemon's actor sees to it that the first answer counts.
 */
import { Effect } from "effect"
import { ResolvedApprovals } from "../../actors/approvals/resolved-approvals.ts"
import { Directory } from "../../actors/commands/directory.ts"
import { alreadyResolved } from "../../actors/daemon/prompt-answers.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { Answered } from "../../src/domain/approval/answered.ts"
import { type ApprovalView, askingOf, daemonOfApproval } from "../../src/domain/approval/approval.ts"
import type { Command } from "../../src/domain/command/command.ts"
import { forDaemon, isPromptChanged } from "../../src/domain/command/prompt.ts"
import { matches } from "../../src/domain/daemon/selector.ts"
import { AlreadyResolved, invalid, NotFound, PromptChanged } from "../../src/errors.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import type { Approvals } from "../api/approvals.ts"
import type { Routes } from "../pipeline/action.ts"
import { Sending } from "../pipeline/response.ts"
import { answeredBy } from "./approval.ts"
import { refusalOf } from "./command-answer.ts"

type Answering = Parameters<Routes<typeof Approvals>["resolve"]>[0]["payload"]

const lateBy = (answered: Answered | undefined) =>
  new AlreadyResolved({ by: answered?.by, decision: answered?.decision, rule: answered?.rule })

/** What is decided, and how the daemon is told. */
const decisionOf = ({ decision, optionId }: Answering, options: ApprovalView["options"]) => {
  const wrong = (path: string, message: string) => Effect.fail(invalid(path, message))
  if ((decision === undefined) === (optionId === undefined))
    return wrong("decision", "must be there, or `optionId`, and not both")
  if (optionId !== undefined && options?.some((option) => option.optionId === optionId) !== true)
    return wrong("optionId", "must be one of the question's options")
  return Effect.succeed<{ readonly optionId: string } | { readonly action: string }>(
    decision === undefined ? { optionId: optionId! } : { action: decision }
  )
}

/** Builds it. A question that the principal's selector leaves out is as an unknown one. */
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
