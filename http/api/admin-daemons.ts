/**
 * The contract of what an administrator sees and orders of the daemons of all accounts. Owns paths and shapes; answers
 * nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { offlineReasons } from "../../src/domain/daemon/offline-reason.ts"
import { adminDaemonsPageMax, adminDaemonsPageUsual, wordCharsMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { failures, idempotentFailures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { millis, nextCursor, numberInQuery, pageQuery, timeInQuery, Words } from "./shapes.ts"

const maybe = Schema.optionalKey
const flag = Schema.Boolean
const time = Schema.NullOr(millis)

const account = Schema.Struct({ id: Schema.String, email: Schema.String, disabled: flag }).annotate({
  identifier: "DaemonAccount"
})

const AdminDaemon = Schema.Struct({
  id: Schema.String,
  account,
  hostname: Schema.String,
  nickname: Schema.String,
  platform: Schema.String,
  version: Schema.String.annotate({ description: "As the daemon reported it" }),
  online: flag.annotate({ description: "Connected now, or lost less than the grace ago" }),
  node: Schema.NullOr(Schema.String).annotate({ description: "The node that holds it; null while it is offline" }),
  revoked: flag,
  connectedAt: time,
  lastSeenAt: time.annotate({ description: "Of one that is online: as of its last change" }),
  lastEndedAt: time.annotate({ description: "When its last time online ended" }),
  lastEndReason: Schema.NullOr(Schema.Literals(offlineReasons)).annotate({
    description: "Why it ended; `disabled`: its account was. null: it never did, or before this was noted"
  }),
  lastCloseCode: Schema.NullOr(Schema.Int).annotate({
    description: "The code that its last connection closed with; null where none is known, as when its node died"
  }),
  identityCopied: flag.annotate({
    description: "Its last connection was of another machine than the one whose place it took: two may have one token"
  })
}).annotate({ identifier: "AdminDaemon" })

const AdminDaemonList = Schema.Struct({ daemons: Schema.Array(AdminDaemon), nextCursor }).annotate({
  identifier: "AdminDaemonList"
})

const Problem = Schema.Struct({ at: Schema.String, reason: Schema.String }).annotate({ identifier: "DaemonMisfit" })

const AdminDaemonRecord = Schema.Struct({
  ...AdminDaemon.fields,
  createdAt: millis,
  epoch: Schema.Int.annotate({ description: "How many connections it has had" }),
  tokens: Schema.Int.annotate({ description: "Its tokens that are good" }),
  observedAt: time.annotate({ description: "When it last reported what follows" }),
  sessions: Schema.Int.annotate({ description: "How many sessions it reported" }),
  problems: Schema.Array(Problem).annotate({ description: "What it sent that did not fit and was dropped" })
}).annotate({ identifier: "AdminDaemonRecord" })

const Ordered = Schema.Struct({ success: Schema.Literal(true), wasConnected: flag }).annotate({
  identifier: "AdminDisconnected"
})

const word = (description: string) =>
  maybe(Schema.String.check(Schema.isMaxLength(wordCharsMax)).annotate({ description }))

const at = (description: string) => maybe(timeInQuery(description))

const daemonId = { daemonId: Schema.String.annotate({ description: "Id of a daemon of any account" }) }
const path = "/api/v1/admin/daemons"
const read = { kind: "session", admin: true, onHangUp: "cancel" } as const

/** `/api/v1/admin/daemons`. */
export const AdminDaemons = HttpApiGroup.make("adminDaemons")
  .annotateMerge(
    OpenApi.annotations({ description: "The daemons of all accounts, for the hub's administrators. Any node answers." })
  )
  .add(
    HttpApiEndpoint.get("list", path, {
      query: {
        account: word("Id or e-mail address of an account"),
        version: word("The version, whole"),
        online: maybe(Schema.Literals(["true", "false"]).annotate({ description: "Only those that are, or are not" })),
        seenSince: at("Last seen then or later, epoch milliseconds; one that is online is seen now"),
        seenBefore: at("Last seen before, epoch milliseconds; never one that is online or was never seen"),
        closeReason: maybe(
          Schema.Literals(offlineReasons).annotate({
            description: "Why the last time online ended, whether it is back or not"
          })
        ),
        closeCode: maybe(
          numberInQuery(/^\d{1,4}$/u, "must be a close code", "The code that its last connection closed with")
        ),
        identityCopied: maybe(
          Schema.Literals(["true", "false"]).annotate({ description: "Only those whose token two machines may have" })
        ),
        ...pageQuery(adminDaemonsPageMax, `${adminDaemonsPageUsual} when absent`)
      },
      success: AdminDaemonList,
      error: failures(...sessionFailures, "ValidationFailed")
    })
      .annotate(Words, [
        "List daemons of all accounts",
        "By id. A page may hold fewer than `limit`, even none, and still have a `nextCursor`: a search looks at a bounded number of daemons at once."
      ])
      .annotateMerge(access(read)),
    HttpApiEndpoint.get("show", `${path}/:daemonId`, {
      params: daemonId,
      success: AdminDaemonRecord,
      error: failures(...sessionFailures, "NotFound")
    })
      .annotate(Words, ["Show a daemon of any account", "Nothing of what its agents said or were told."])
      .annotateMerge(access(read)),
    HttpApiEndpoint.post("disconnect", `${path}/:daemonId/disconnect`, {
      params: daemonId,
      success: Ordered,
      error: failures(...recentLoginFailures, ...idempotentFailures, "NotFound", "Overloaded")
    })
      .annotate(Words, ["Disconnect a daemon of any account", "On whichever node it is. It may come back by itself."])
      .annotateMerge(
        access({
          kind: "session",
          admin: true,
          recent: true,
          onHangUp: "finish",
          audits: "daemon.disconnected",
          notes: "success too"
        })
      )
  )
