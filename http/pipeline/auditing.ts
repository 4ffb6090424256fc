/**
 * What the pipeline does for the audit log: says where the changes of a call come from, and notes the calls that were
 * refused. Owns what of a call is kept: no body, path or header, and of its parameters an id only. Stores record what
 * was changed.
 */

import type { AuditLog } from "../../actors/audit-log/audit-log.ts"
import type { AuditActor, AuditOrigin, AuditOutcome } from "../../src/domain/account/audit-event.ts"
import { ownerOf, type Principal, programCredentialOf } from "../../src/domain/account/principal.ts"
import { isAudited } from "../../src/domain/command/command.ts"
import { type CommandsShown, shownCommand } from "../../src/domain/command/shown-command.ts"
import { type CallEnd, type CallRecord, type Observer, statusOf } from "./call-record.ts"
import type { Endpoint } from "./endpoint.ts"
import { refusalOf } from "./request-logging.ts"
import type { RequestParts } from "./request-parts.ts"
import type { SentCommand } from "./response.ts"

const refusedFrom = 400
const failedFrom = 500
/** A flood is refused by the limits; the request log and the metrics tell of it. */
const tooManyRequests = 429
/** The hub writes the id before what the daemon answered. */
const idInAnswer = /"commandId":"(cmd_[0-9a-z]{20})"/u
const callerLeft = "CALLER_LEFT"

const idOf = /^[a-z]{3}_[0-9a-z]{20}/u

/** The id that a call is about; the id of its daemon, where it names a target. */
const objectOf = (parameters: ReadonlyArray<string>): string | undefined => {
  for (const one of parameters) {
    const id = idOf.exec(one)?.[0]
    if (id !== undefined) return id
  }
  return undefined
}

/** Who a principal is in the audit log. */
const actorOf = (principal: Principal): AuditActor => {
  const { accountId, credential } = principal
  if (accountId === "") return { kind: "anonymous" }
  const id = programCredentialOf(principal)
  const owner = ownerOf(principal)
  return { kind: credential.kind, id: credential.kind === "session" ? credential.sessionId : id, owner }
}

/**
 * Where the changes of a call come from. Its address is read on first use, since that is a system call, 3 % of a
 * command (`hub bench command`): a command that is not audited, and is answered, never needs it.
 */
class CallOrigin implements AuditOrigin {
  readonly actor: AuditActor
  readonly accountId: string | undefined
  readonly node: string
  readonly requestId: string
  readonly #request: RequestParts

  constructor(request: RequestParts, principal: Principal, node: string) {
    this.#request = request
    this.actor = actorOf(principal)
    this.accountId = principal.accountId === "" ? undefined : principal.accountId
    this.node = node
    this.requestId = request.requestId
  }

  get address(): string {
    return this.#request.client.bucket
  }
}

/** From here on the call is of this principal. */
export const actsAs = (call: CallRecord, principal: Principal): void => {
  if (call.origin instanceof CallOrigin) call.origin = new CallOrigin(call.request, principal, call.origin.node)
}

/** The command that a call sends, if that is one that is audited. */
const auditedCommand = ({ command }: CallRecord): SentCommand | undefined =>
  command !== undefined && isAudited(command.type) ? command : undefined

/** A call goes on later. What it may still tell of needs its address, which is not known once the caller has left. */
export const keepAddress = (call: CallRecord): void => {
  if (call.command === undefined || auditedCommand(call) !== undefined) void call.origin?.address
}

const outcomeOf = (status: number | undefined): AuditOutcome => {
  if (status === undefined || status >= failedFrom) return "failed"
  return status >= refusedFrom ? "refused" : "done"
}

const reasonOf = (end: CallEnd): string | undefined =>
  end === "left" ? callerLeft : end === "stream" || end.status < refusedFrom ? undefined : refusalOf(end.body).reason

/** For the log at `debug` only, since the answer is read again. */
const commandFacts = (
  { requestId }: AuditOrigin,
  { type, daemonId }: SentCommand,
  end: CallEnd
): Readonly<Record<string, unknown>> => {
  const body = typeof end === "string" ? undefined : end.body
  const commandId = typeof body === "string" ? idInAnswer.exec(body)?.[1] : undefined
  return { requestId, type, daemonId, ...(commandId && { commandId }), status: statusOf(end) ?? callerLeft }
}

const detailOf = (shown: CommandsShown, { type, payload }: SentCommand): string => {
  const said = shownCommand(shown, type, payload)
  return said === undefined ? type : `${type} ${said}`
}

/** What it needs of its edge. */
interface AuditedEdge {
  readonly auditLog: Pick<AuditLog["Service"], "note" | "node" | "commandsShown">
  readonly logCommand: ((facts: Readonly<Record<string, unknown>>) => void) | undefined
}

/** Builds it for an endpoint; undefined where that is not audited. */
export const auditing = (
  { auditLog: log, logCommand }: AuditedEdge,
  { access: { audits: action, notes } }: Pick<Endpoint, "access">
): Observer | undefined => {
  if (action === undefined || action === false) return undefined
  const notesSuccess = notes === "success too"
  const notesRefusal = notes !== "no refusal"
  return {
    judged: (call, { principal }) => {
      call.origin = new CallOrigin(call.request, principal, log.node)
    },
    end: (call, end) => {
      const { origin } = call
      const command = auditedCommand(call)
      const status = statusOf(end)
      // a caller who left before is of interest where a command was sent
      if (origin === undefined || (status === undefined && command === undefined)) return
      if (command !== undefined && logCommand !== undefined) logCommand(commandFacts(origin, command, end))
      if (status === tooManyRequests) return
      const outcome = outcomeOf(status)
      if (outcome === "done" ? !notesSuccess && command === undefined : !notesRefusal) return
      log.note(origin, {
        action,
        outcome,
        object: command?.daemonId ?? objectOf(call.request.parameters),
        detail: command && detailOf(log.commandsShown(origin.accountId ?? ""), command),
        reason: reasonOf(end)
      })
    }
  }
}
