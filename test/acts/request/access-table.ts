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

/** What the words of a row stand for; `passes`: neither 401 nor 403. */
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

type Row = readonly [Verdict, Verdict, Verdict, Verdict, Verdict, Verdict, Verdict, Verdict, Verdict]

// biome-ignore-start format: a table is read by its columns
//                                none        bad        key without  key with     expired    stale        timeless
// fresh        admin
const open: Row = ["passes", "passes", "passes", "passes", "passes", "passes", "passes", "passes", "passes"]
const anyone: Row = ["required", "invalid", "passes", "passes", "invalid", "passes", "passes", "passes", "passes"]
const scoped: Row = ["required", "invalid", "forbidden", "passes", "invalid", "passes", "passes", "passes", "passes"]
const recent: Row = ["required", "invalid", "login", "login", "invalid", "login", "login", "passes", "passes"]
const dashboard: Row = [
  "required",
  "invalid",
  "forbidden",
  "forbidden",
  "invalid",
  "passes",
  "passes",
  "passes",
  "passes"
]
const turn: Row = ["required", "invalid", "forbidden", "forbidden", "expired", "passes", "passes", "passes", "passes"]
// biome-ignore format: a table is read by its columns
const joining: Row = ["required", "invalid", "invalid", "invalid", "invalid", "invalid", "invalid", "invalid", "invalid"]
const publishing: Row = [
  "required",
  "invalid",
  "forbidden",
  "passes",
  "invalid",
  "forbidden",
  "forbidden",
  "forbidden",
  "passes"
]
const administrator: Row = [
  "required",
  "invalid",
  "forbidden",
  "forbidden",
  "invalid",
  "forbidden",
  "forbidden",
  "forbidden",
  "passes"
]
const administratorRecent: Row = [
  "required",
  "invalid",
  "login",
  "login",
  "invalid",
  "login",
  "login",
  "forbidden",
  "passes"
]
// biome-ignore-end format: a table is read by its columns

/** The row of every endpoint of the contract. */
export const gateTable: Readonly<Record<string, Row>> = {
  "system.health": open,
  "system.ready": open,
  "system.metrics": open,

  "console.page": open,
  "console.script": open,
  "console.style": open,
  "reference.home": open,
  "reference.asyncapi": open,
  "reference.openapi": open,
  "reference.page": open,
  "reference.markdown": open,
  "reference.operation": open,
  "reference.llms": open,

  "auth.login": open,
  "auth.begin": open,
  "auth.callback": open,
  "auth.exchange": open,
  "auth.refresh": dashboard,
  "auth.logout": dashboard,
  "auth.logoutOthers": recent,
  "deviceCodes.begin": open,
  "deviceCodes.token": open,
  "deviceCodes.show": dashboard,
  "deviceCodes.approve": recent,
  "deviceCodes.deny": dashboard,
  "account.me": anyone,
  "account.usage": anyone,
  "requests.list": anyone,
  "audit.list": dashboard,
  "keys.list": dashboard,
  "keys.create": recent,
  "keys.revoke": recent,

  "daemons.list": scoped,
  "daemons.status": scoped,
  "daemons.command": scoped,
  "daemons.terminal": scoped,
  "daemons.disconnect": recent,
  "daemons.revoke": recent,
  "daemons.remove": recent,
  "daemons.tag": recent,
  "daemons.enroll": recent,

  "joinKeys.list": dashboard,
  "joinKeys.create": recent,
  "joinKeys.remove": recent,
  "joinKeys.join": joining,

  "shortcuts.launch": scoped,
  "shortcuts.stop": scoped,
  "shortcuts.send": scoped,
  "shortcuts.read": scoped,
  "shortcuts.debug": scoped,
  "shortcuts.debugWith": scoped,
  "shortcuts.approve": scoped,
  "shortcuts.status": scoped,

  "commands.list": scoped,
  "commands.get": scoped,
  "commands.cancel": scoped,
  "commands.output": scoped,
  "commands.outputStream": scoped,
  "jobs.start": scoped,
  "jobs.list": scoped,
  "jobs.get": scoped,
  "jobs.targets": scoped,
  "jobs.cancel": scoped,

  "webhooks.list": scoped,
  "webhooks.create": recent,
  "webhooks.update": recent,
  "webhooks.remove": recent,
  "webhooks.deliveries": scoped,
  "webhooks.test": recent,
  "webhooks.rotateSecret": recent,
  "webhooks.retry": recent,
  "webhooks.recover": recent,
  "events.stream": scoped,
  "events.listenSecret": scoped,
  "sessions.events": scoped,
  "sessions.stream": scoped,

  "turn.credentials": turn,

  "registry.list": open,
  "registry.type": open,
  "registry.version": open,
  "registry.download": open,
  "registry.publish": publishing,
  "registry.promote": publishing,
  "registry.yank": publishing,

  "adminDaemons.list": administrator,
  "adminDaemons.show": administrator,
  "adminDaemons.disconnect": administratorRecent
}

/** The scope each endpoint's table of the specification names; endpoints without one are left out. */
export const scopeTable: Readonly<Record<string, ReadonlyArray<string>>> = {
  "daemons.list": ["ide:read"],
  "daemons.status": ["ide:read"],
  "daemons.command": ["ide:control"],
  "daemons.terminal": ["terminal:exec"],
  "daemons.disconnect": ["ide:control"],
  "daemons.revoke": ["ide:control"],
  "daemons.remove": ["ide:control"],
  "daemons.tag": ["ide:control"],
  "daemons.enroll": ["ide:control"],
  "shortcuts.launch": ["ide:control"],
  "shortcuts.stop": ["ide:control"],
  "shortcuts.send": ["agent:control"],
  "shortcuts.read": ["agent:read"],
  "shortcuts.debug": ["agent:read"],
  "shortcuts.debugWith": ["agent:read"],
  "shortcuts.approve": ["agent:control"],
  "shortcuts.status": ["agent:read"],
  "commands.list": ["ide:control", "terminal:exec", "agent:control", "agent:read"],
  "commands.get": ["ide:control", "terminal:exec", "agent:control", "agent:read"],
  "commands.cancel": ["ide:control", "terminal:exec", "agent:control", "agent:read"],
  "commands.output": ["ide:control", "terminal:exec", "agent:control", "agent:read"],
  "commands.outputStream": ["ide:control", "terminal:exec", "agent:control", "agent:read"],
  "jobs.start": ["ide:control", "terminal:exec", "agent:control"],
  "jobs.list": ["ide:control", "terminal:exec", "agent:control"],
  "jobs.get": ["ide:control", "terminal:exec", "agent:control"],
  "jobs.targets": ["ide:control", "terminal:exec", "agent:control"],
  "jobs.cancel": ["ide:control", "terminal:exec", "agent:control"],
  "webhooks.list": ["webhook:manage"],
  "webhooks.create": ["webhook:manage"],
  "webhooks.update": ["webhook:manage"],
  "webhooks.remove": ["webhook:manage"],
  "webhooks.deliveries": ["webhook:manage"],
  "webhooks.test": ["webhook:manage"],
  "webhooks.rotateSecret": ["webhook:manage"],
  "webhooks.retry": ["webhook:manage"],
  "webhooks.recover": ["webhook:manage"],
  "events.stream": ["ide:read", "agent:read"],
  "events.listenSecret": ["ide:read", "agent:read"],
  "sessions.events": ["agent:read"],
  "sessions.stream": ["agent:read"],
  "registry.publish": ["registry:publish"],
  "registry.promote": ["registry:publish"],
  "registry.yank": ["registry:publish"]
}
