/**
 * The administrator's requests, as plain values that fit on one line of JSON. Owns the closed list; performs nothing.
 * The command line makes them, control-socket.ts carries them, admin/operations.ts performs them.
 */
import { Schema } from "effect"
import { auditOutcomes } from "../domain/account/audit-event.ts"
import { plans } from "../domain/account/plans.ts"
import { scopes } from "../domain/account/scopes.ts"
import { offlineReasons } from "../domain/daemon/offline-reason.ts"
import { oneLine } from "../domain/text/one-line.ts"
import { clientNameCharsMax, redirectUriCharsMax, redirectUrisMax } from "../limits/oauth.ts"
import { selectorCharsMax } from "../limits/tags.ts"

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(320))
const Name = Schema.String.check(Schema.isMaxLength(200), Schema.isPattern(oneLine))
const Password = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1_024))
const Path = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4_096))

/** Where the previous answer stopped: its `after`. Without it an answer begins at the start. */
const After = { after: Schema.optionalKey(Text) }

/** Exactly one of them is given. */
const TurnOf = { account: Schema.optionalKey(Text), plan: Schema.optionalKey(Schema.Literals(plans)) }

/** Every request. `account` is an account's id or its e-mail address. */
export const AdminRequest = Schema.Union([
  Schema.Struct({
    op: Schema.tag("account create"),
    email: Text,
    password: Schema.optionalKey(Password),
    plan: Schema.Literals(plans),
    admin: Schema.Boolean
  }),
  Schema.Struct({ op: Schema.tag("account list"), ...After }),
  Schema.Struct({ op: Schema.tag("account disable"), account: Text }),
  Schema.Struct({ op: Schema.tag("account enable"), account: Text }),
  Schema.Struct({ op: Schema.tag("account password"), account: Text, password: Password }),
  Schema.Struct({ op: Schema.tag("account plan"), account: Text, plan: Schema.Literals(plans) }),
  Schema.Struct({ op: Schema.tag("account admin"), account: Text, admin: Schema.Boolean }),
  Schema.Struct({ op: Schema.tag("account delete"), account: Text, yes: Schema.Boolean, ...After }),
  Schema.Struct({
    op: Schema.tag("key create"),
    account: Text,
    name: Name,
    scopes: Schema.Array(Schema.Literals(scopes)),
    expiresAt: Schema.optionalKey(Schema.Int),
    selector: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(selectorCharsMax)))
  }),
  Schema.Struct({ op: Schema.tag("key list"), account: Text, ...After }),
  Schema.Struct({ op: Schema.tag("key revoke"), key: Text }),
  Schema.Struct({
    op: Schema.tag("token create"),
    account: Text,
    name: Schema.optionalKey(Name),
    daemon: Schema.optionalKey(Text)
  }),
  Schema.Struct({ op: Schema.tag("token list"), account: Text, ...After }),
  Schema.Struct({ op: Schema.tag("token revoke"), daemon: Text }),
  Schema.Struct({ op: Schema.tag("token delete"), daemon: Text }),
  Schema.Struct({
    op: Schema.tag("daemon list"),
    account: Schema.optionalKey(Text),
    version: Schema.optionalKey(Name),
    online: Schema.optionalKey(Schema.Boolean),
    seenSince: Schema.optionalKey(Schema.Int),
    seenBefore: Schema.optionalKey(Schema.Int),
    closeReason: Schema.optionalKey(Schema.Literals(offlineReasons)),
    closeCode: Schema.optionalKey(Schema.Int),
    identityCopied: Schema.optionalKey(Schema.Boolean),
    ...After
  }),
  Schema.Struct({ op: Schema.tag("daemon show"), daemon: Text }),
  Schema.Struct({ op: Schema.tag("daemon disconnect"), daemon: Text }),
  Schema.Struct({ op: Schema.tag("turn disable"), ...TurnOf }),
  Schema.Struct({ op: Schema.tag("turn enable"), ...TurnOf }),
  Schema.Struct({ op: Schema.tag("turn list") }),
  Schema.Struct({
    op: Schema.tag("audit list"),
    account: Schema.optionalKey(Text),
    action: Schema.optionalKey(Text),
    actor: Schema.optionalKey(Text),
    object: Schema.optionalKey(Text),
    outcome: Schema.optionalKey(Schema.Literals(auditOutcomes)),
    since: Schema.optionalKey(Schema.Int),
    until: Schema.optionalKey(Schema.Int),
    ...After
  }),
  Schema.Struct({
    op: Schema.tag("oauth client add"),
    name: Name.check(Schema.isMinLength(1), Schema.isMaxLength(clientNameCharsMax)),
    redirectUris: Schema.Array(Schema.String.check(Schema.isMaxLength(redirectUriCharsMax))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(redirectUrisMax)
    ),
    secret: Schema.Boolean
  }),
  Schema.Struct({ op: Schema.tag("oauth client list") }),
  Schema.Struct({ op: Schema.tag("oauth client remove"), client: Text }),
  Schema.Struct({ op: Schema.tag("secret rotate"), ...After }),
  Schema.Struct({ op: Schema.tag("process describe") }),
  Schema.Struct({ op: Schema.tag("backup"), file: Path })
])

export type AdminRequest = typeof AdminRequest.Type

export type AdminOp = AdminRequest["op"]

/**
 * A request in transit. `database` is the fingerprint of the intended database (database-fingerprint.ts), when the
 * client names one: the hub that runs in a data folder may use another.
 */
export const AdminEnvelope = Schema.Struct({ database: Schema.optionalKey(Schema.String), request: AdminRequest })

/** One request on its way. */
export type AdminEnvelope = typeof AdminEnvelope.Type

/**
 * The answer: an object to print as it is, or a sentence that says why not (`elsewhere`: another database is meant).
 * `after`: more follows; repeat the request with it.
 */
export const AdminAnswer = Schema.Union([
  Schema.Struct({
    ok: Schema.Literal(true),
    answer: Schema.Record(Schema.String, Schema.Unknown),
    after: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ ok: Schema.Literal(false), refusal: Schema.String, elsewhere: Schema.optionalKey(Schema.Boolean) })
])

export type AdminAnswer = typeof AdminAnswer.Type
