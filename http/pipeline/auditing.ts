/**
 * What the pipeline does for the audit log: says where the changes of a call come from, and notes the calls that were
 * refused. Owns what of a call is kept: no body, path or header, and of its parameters an id only. Stores record what
 * was changed.
 */
import type { AuditLog } from "../../actors/audit-log/audit-log.ts"
import type { AuditActor, AuditOrigin, AuditOutcome } from "../../src/domain/account/audit-event.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { auditedEndpoints, notedEndpoints, selfNotingEndpoints } from "./audited-endpoints.ts"
import type { RequestExchange } from "./request-exchange.ts"
import { refusalOf } from "./request-logging.ts"
import type { Answer } from "./response.ts"

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
const actorOf = ({ accountId, credential }: Principal): AuditActor => {
  if (accountId === "") return { kind: "anonymous" }
  return credential.kind === "key"
    ? { kind: "key", id: credential.keyId }
    : { kind: "session", id: credential.sessionId }
}

/** A call, as far as it is audited. */
type AuditedCall = Pick<RequestExchange, "client" | "requestId" | "parameters" | "beforeAnswer">

/** Says where the changes of a call come from, and notes how it ends. */
export type Auditing = (call: AuditedCall, principal: Principal) => AuditOrigin

/**
 * Where the changes of a call come from. Its address is read on first use, since that is a system call, 3 % of a
 * command (`hub bench command`): a command that is not audited, and is answered, never needs it.
 */
class CallOrigin implements AuditOrigin {
  readonly actor: AuditActor
  readonly accountId: string | undefined
  readonly node: string
  readonly requestId: string
  command?: NonNullable<AuditOrigin["command"]>
  sentUnaudited = false
  readonly #call: AuditedCall

  constructor(call: AuditedCall, principal: Principal, node: string) {
    this.#call = call
    this.actor = actorOf(principal)
    this.accountId = principal.accountId === "" ? undefined : principal.accountId
    this.node = node
    this.requestId = call.requestId
  }

  get address(): string {
    return this.#call.client.bucket
  }
}

/** A call goes on later. What it may still tell of needs its address, which is not known once the caller has left. */
export const keepAddress = (origin: AuditOrigin): void => {
  if (origin.sentUnaudited !== true) void origin.address
}

const outcomeOf = (status: number | undefined): AuditOutcome => {
  if (status === undefined || status >= failedFrom) return "failed"
  return status >= refusedFrom ? "refused" : "done"
}

/** For the log at `debug` only, since the answer is read again. */
const commandFacts = (
  { requestId }: AuditOrigin,
  { type, daemonId }: NonNullable<AuditOrigin["command"]>,
  answer: Answer | undefined
): Readonly<Record<string, unknown>> => {
  const commandId = typeof answer?.body === "string" ? idInAnswer.exec(answer.body)?.[1] : undefined
  return { requestId, type, daemonId, ...(commandId && { commandId }), status: answer?.status ?? callerLeft }
}

/** What it needs of its edge. */
interface AuditedEdge {
  readonly auditLog: Pick<AuditLog["Service"], "note" | "node">
  readonly logCommand: ((facts: Readonly<Record<string, unknown>>) => void) | undefined
}

/** Builds it for an endpoint; undefined where that is not audited. */
export const auditingOf = ({ auditLog: log, logCommand }: AuditedEdge, endpoint: string): Auditing | undefined => {
  const action = auditedEndpoints[endpoint]
  if (action === undefined) return undefined
  const notesSuccess = notedEndpoints.has(endpoint)
  const notesRefusal = !selfNotingEndpoints.has(endpoint)

  const ended = (call: AuditedCall, origin: AuditOrigin, answer: Answer | undefined): void => {
    const { command } = origin
    const status = answer?.status
    // a caller who left before is of interest where a command was sent
    if (status === undefined && command === undefined) return
    if (command !== undefined && logCommand !== undefined) logCommand(commandFacts(origin, command, answer))
    if (status === tooManyRequests) return
    const outcome = outcomeOf(status)
    if (outcome === "done" ? !notesSuccess && command === undefined : !notesRefusal) return
    const reason = answer === undefined ? callerLeft : outcome === "done" ? undefined : refusalOf(answer.body).reason
    log.note(origin, {
      action,
      outcome,
      object: command?.daemonId ?? objectOf(call.parameters),
      detail: command?.type,
      reason
    })
  }

  return (call, principal) => {
    const origin = new CallOrigin(call, principal, log.node)
    const next = call.beforeAnswer
    const noteEnd: AuditedCall["beforeAnswer"] = (answer, request) => {
      next?.(answer, request)
      ended(call, origin, answer)
    }
    call.beforeAnswer = noteEnd
    return origin
  }
}
