/**
 * Every route of the contract under every kind of credential. What each is answered is recorded in access.txt, which
 * is read against the specification when it changes; `./hub test test/http/api/access.db.test.ts -u` writes it.
 */
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { expect, it } from "vitest"
import { AccessOf } from "../../../http/api/access.ts"
import { Api } from "../../../http/api/api.ts"
import { roles } from "../../../src/domain/account/roles.ts"
import { isScope, type Scope, scopes } from "../../../src/domain/account/scopes.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { useStarted } from "../../support/use-started.ts"

/** The kinds of credentials, in the order of the columns. */
const columns = [
  "none",
  "bad",
  "key without the scope",
  "key with the scope",
  "expired session",
  "stale session",
  "session without auth_time",
  "viewer's fresh session",
  "operator's fresh session",
  "member admin's fresh session",
  "fresh session",
  "admin's session"
] as const
type Column = (typeof columns)[number]

interface Route {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly scopes: ReadonlyArray<Scope>
}

const routes: Array<Route> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
    const { scope, anyScope = [] } = Context.get(mergedAnnotations as Context.Context<AccessOf>, AccessOf)
    routes.push({
      id: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      path: endpoint.path.replace(/:[A-Za-z]+/gu, "none"),
      scopes: scope === undefined ? anyScope : [scope]
    })
  }
})

const hub = useHub()
const owner = useStarted(() => hub.account({ plan: "enterprise" }))
const admin = useStarted(() => hub.account({ plan: "enterprise", admin: true }))
const kept = new Map<string, Promise<string>>()

const once = (name: string, make: () => Promise<string>): Promise<string> => {
  const before = kept.get(name)
  if (before !== undefined) return before
  const made = make()
  kept.set(name, made)
  // another try is not to fail by this one
  made.catch(() => kept.delete(name))
  return made
}

/** A key with these scopes; an administrator's, as only they mint `registry:publish`. */
const key = (granted: ReadonlyArray<Scope>) => once(`key ${granted.join()}`, () => admin.key(granted))

/** Whose session a route is called with; ending all others must not end those of the other routes. */
const holder = async (route: Route, isAdmin = false): Promise<TestAccount> =>
  route.id === "auth.logoutOthers" ? hub.account({ admin: isAdmin }) : isAdmin ? admin : owner

const credential = (column: Column, route: Route): Promise<string> | undefined => {
  // Signing out ends the session it is called with, and refreshing replaces its token: each such call has one of its
  // own.
  const ends = route.id.startsWith("auth.logout") || route.id === "auth.refresh"
  const session = (name: string, make: () => Promise<string>) => (ends ? make() : once(name, make))
  switch (column) {
    case "none":
      return undefined
    case "bad":
      return Promise.resolve("hub_not-a-key")
    case "key without the scope":
      return key(scopes.filter((scope) => !route.scopes.includes(scope)))
    case "key with the scope":
      return key(route.scopes.length === 0 ? ["ide:read"] : route.scopes.slice(-1))
    case "expired session":
      return session(column, () => owner.session({ expired: true }))
    case "stale session":
      return session(column, () => owner.session({ ageSeconds: 3_600 }))
    case "session without auth_time":
      return session(column, () => owner.session({ timeless: true }))
    case "viewer's fresh session":
    case "operator's fresh session":
    case "member admin's fresh session":
      return session(column, async () => {
        const role = roles.find((one) => column.includes(one))!
        return (await (await holder(route)).member(role)).session()
      })
    case "fresh session":
      return session(column, async () => (await holder(route)).session())
    case "admin's session":
      return session(column, async () => (await holder(route, true)).session())
  }
}

/** Why a caller is refused; `passes`: neither 401 nor 403. The body of a stream is not waited for. */
const verdict = async (route: Route, column: Column): Promise<string> => {
  const bearer = await credential(column, route)
  const answer = await fetch(hub.url + route.path, {
    method: route.method,
    redirect: "manual",
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    ...(route.method === "GET" ? {} : { body: "{}" })
  })
  if (answer.status !== 401 && answer.status !== 403) {
    await answer.body?.cancel()
    return "passes"
  }
  return ((await answer.json()) as { reason: string }).reason
}

it("each route admits and refuses each kind of credential as is recorded", async () => {
  const lines = [`The columns: ${columns.join(", ")}; then the scopes of which one is needed.`]
  for (const route of routes) {
    const verdicts: Array<string> = []
    for (const column of columns) verdicts.push(await verdict(route, column))
    for (const scope of route.scopes) expect(isScope(scope)).toBe(true)
    lines.push(
      [route.id.padEnd(24), ...verdicts.map((one) => one.padEnd(21)), route.scopes.join(" ")].join(" ").trimEnd()
    )
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("access.txt")
})
