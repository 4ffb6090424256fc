/**
 * The administrator's operations on daemons of any account: find, show, disconnect. Owns the request's meaning; the
 * node that holds a daemon closes its connection.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Bus } from "../bus/bus.ts"
import { isId } from "../domain/ids.ts"
import { adminPageRowsMax } from "../limits/admin.ts"
import { recordChange } from "../store/accounts/recorded-change.ts"
import { DaemonSearch, type DescribedDaemon, type FoundDaemon } from "../store/daemons/daemon-search.ts"
import * as query from "../store/sql/query.ts"
import { type Answer, account, type Part, Refused, type Request } from "./operation.ts"

const when = (millis: number | null): string | null => (millis === null ? null : new Date(millis).toISOString())

const datesOf = ({ connectedAt, lastSeenAt, lastEndedAt }: FoundDaemon) => ({
  connectedAt: when(connectedAt),
  lastSeenAt: when(lastSeenAt),
  lastEndedAt: when(lastEndedAt)
})

const listed = (daemon: FoundDaemon) => {
  const { daemonId, email, hostname, nickname, version, online, node, revoked, ...rest } = daemon
  const { lastEndReason, lastCloseCode, identityCopied } = rest
  const { connectedAt: _, ...dates } = datesOf(daemon)
  return {
    daemonId,
    account: email,
    name: nickname,
    hostname,
    version,
    online,
    node,
    revoked,
    ...dates,
    lastEndReason,
    lastCloseCode,
    identityCopied
  }
}

/** The daemons of all accounts that pass a filter, by id. */
export const listDaemons = Effect.fnUntraced(function* (request: Request<"daemon list">) {
  const search = yield* DaemonSearch
  const accountId = request.account === undefined ? undefined : (yield* account(request.account)).id
  if (request.after !== undefined && !isId("daemon", request.after))
    return yield* new Refused({ sentence: "the list does not go on from there" })
  const { version, online, seenSince, seenBefore, closeReason: endReason, closeCode, identityCopied } = request
  const filter = { accountId, version, online, seenSince, seenBefore, endReason, closeCode, identityCopied }
  const { daemons, next } = yield* search.find(filter, adminPageRowsMax, request.after ?? "")
  return { answer: { daemons: daemons.map(listed) }, after: next } as Part
})

const described = (daemonId: string) =>
  Effect.flatMap(
    Effect.flatMap(DaemonSearch, (search) => search.describe(daemonId)),
    (found) =>
      found === undefined
        ? Effect.fail(new Refused({ sentence: `there is no daemon ${daemonId}` }))
        : Effect.succeed<DescribedDaemon>(found)
  )

/** All that the hub keeps of a daemon, but for what its agents said. */
export const showDaemon = Effect.fnUntraced(function* ({ daemon }: Request<"daemon show">) {
  const { createdAt, observedAt, problems, ...found } = yield* described(daemon)
  return {
    ...found,
    ...datesOf(found),
    createdAt: when(createdAt),
    observedAt: when(observedAt),
    problems: problems.map(({ at, reason }) => `${at}: ${reason}`)
  } as Answer
})

/** Has every node close the daemon's connection with 4404. It may come back by itself. Its owner's log tells of it. */
export const disconnectDaemon = Effect.fnUntraced(function* ({ daemon }: Request<"daemon disconnect">) {
  const { daemonId, accountId, online } = yield* described(daemon)
  const bus = yield* Bus
  const sql = yield* SqlClient.SqlClient
  const order = Effect.sync(() => bus.publish("daemon_ordered", { daemonId, order: "disconnect" }))
  const noted = recordChange(sql, Effect.void, () => ({ action: "daemon.disconnected", accountId, object: daemonId }))
  yield* Effect.andThen(query.attempt("write the audit log", noted), order)
  return { daemonId, wasConnected: online } as Answer
})
