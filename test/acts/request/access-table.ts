/**
 * What every route says to every kind of credential, written out by hand from the specification: who may do what. A
 * route that is added without a row fails test/http/api/access.db.test.ts.
 */

/** The kinds of credentials, in the order of the columns. */
export const columns = [
  "none",
  "bad",
  "key without the scope",
  "key with the scope",
  "expired session",
  "stale session",
  "session without auth_time",
  "fresh session",
  "admin's session"
] as const

/** A kind of credential. */
export type Column = (typeof columns)[number]

/** What the words of a row stand for, each with a letter of its own; `passes`: neither 401 nor 403. */
export const verdicts = {
  passes: undefined,
  required: { status: 401, reason: "AUTH_REQUIRED" },
  invalid: { status: 401, reason: "AUTH_INVALID" },
  expired: { status: 401, reason: "TOKEN_EXPIRED" },
  forbidden: { status: 403, reason: "AUTH_FORBIDDEN" },
  login: { status: 403, reason: "RECENT_LOGIN_REQUIRED" }
} as const

/** One word of a row. */
export type Verdict = keyof typeof verdicts

/** One verdict a column. */
type Row = ReadonlyArray<Verdict>

/** The verdicts of a row, each by its first letter. */
const row = (letters: string): Row =>
  letters.split(" ").map((letter) => Object.keys(verdicts).find((word) => word.startsWith(letter)) as Verdict)

/** What stands behind the names of endpoints, by endpoint. */
const byEndpoint = <A>(table: ReadonlyArray<readonly [A, string]>): Readonly<Record<string, A>> =>
  Object.fromEntries(table.flatMap(([value, names]) => names.split(/\s+/u).map((name) => [name, value])))

/** The row of every endpoint of the contract. */
export const gateTable = byEndpoint<Row>([
  // open to everybody
  [
    row("p p p p p p p p p"),
    `system.health system.ready system.metrics console.page console.script console.style daemonDownload.program
     daemonDownload.release daemonDownload.script reference.home
    reference.asyncapi reference.openapi reference.page reference.markdown reference.operation reference.llms
    auth.login auth.begin auth.callback auth.exchange deviceCodes.begin deviceCodes.token registry.list
    registry.type registry.version registry.download`
  ],
  // a session
  [
    row("r i f f i p p p p"),
    "auth.refresh auth.logout deviceCodes.show deviceCodes.deny audit.list keys.list joinKeys.list"
  ],
  // a recent login
  [
    row("r i l l i l l p p"),
    `auth.logoutOthers deviceCodes.approve keys.create keys.revoke daemons.disconnect daemons.revoke daemons.remove
    daemons.tag daemons.enroll joinKeys.create joinKeys.remove webhooks.create webhooks.update webhooks.remove
    webhooks.test webhooks.rotateSecret webhooks.retry webhooks.recover`
  ],
  // any credential
  [row("r i p p i p p p p"), "account.me account.usage requests.list"],
  // a key with the scope, or any session
  [
    row("r i f p i p p p p"),
    `daemons.list daemons.status daemons.command daemons.terminal shortcuts.launch shortcuts.stop shortcuts.send
    shortcuts.read shortcuts.debug shortcuts.debugWith shortcuts.approve shortcuts.status commands.list
    commands.get commands.cancel commands.output commands.outputStream jobs.start jobs.list jobs.get jobs.targets
    jobs.cancel webhooks.list webhooks.deliveries events.stream events.listenSecret sessions.events
    sessions.stream`
  ],
  // a join key, which none of these is
  [row("r i i i i i i i i"), "joinKeys.join"],
  // a session, and an expired one is told
  [row("r i f f e p p p p"), "turn.credentials"],
  // a key with the scope, or an administrator
  [row("r i f p i f f f p"), "registry.publish registry.promote registry.yank registry.restore"],
  // an administrator
  [row("r i f f i f f f p"), "adminDaemons.list adminDaemons.show"],
  // an administrator with a recent login
  [row("r i l l i l l f p"), "adminDaemons.disconnect"]
])

/** The scope each endpoint's table of the specification names; endpoints without one are left out. */
export const scopeTable = byEndpoint<ReadonlyArray<string>>([
  [["ide:read"], "daemons.list daemons.status"],
  [
    ["ide:control"],
    `daemons.command daemons.disconnect daemons.revoke daemons.remove daemons.tag daemons.enroll shortcuts.launch
    shortcuts.stop`
  ],
  [["terminal:exec"], "daemons.terminal"],
  [["agent:control"], "shortcuts.send shortcuts.approve"],
  [
    ["agent:read"],
    "shortcuts.read shortcuts.debug shortcuts.debugWith shortcuts.status sessions.events sessions.stream"
  ],
  [
    ["ide:control", "terminal:exec", "agent:control", "agent:read"],
    "commands.list commands.get commands.cancel commands.output commands.outputStream"
  ],
  [["ide:control", "terminal:exec", "agent:control"], "jobs.start jobs.list jobs.get jobs.targets jobs.cancel"],
  [
    ["webhook:manage"],
    `webhooks.list webhooks.create webhooks.update webhooks.remove webhooks.deliveries webhooks.test
    webhooks.rotateSecret webhooks.retry webhooks.recover events.listenSecret`
  ],
  [["ide:read", "agent:read"], "events.stream"],
  [["registry:publish"], "registry.publish registry.promote registry.yank registry.restore"]
])
