/** Every route of the contract under every kind of credential, against the table written out by hand. */
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { beforeAll, describe, expect, it } from "vitest"
import { AccessOf } from "../../../http/api/access.ts"
import { Api } from "../../../http/api/api.ts"
import { isScope, type Scope, scopes } from "../../../src/domain/account/scopes.ts"
import { type Column, columns, gateTable, scopeTable, verdicts } from "../../acts/request/access-table.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"

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
let owner: TestAccount
let admin: TestAccount
const kept = new Map<string, Promise<string>>()

beforeAll(async () => {
  owner = await hub.account({ plan: "enterprise" })
  admin = await hub.account({ plan: "enterprise", admin: true })
})

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
    case "fresh session":
      return session(column, async () => (await holder(route)).session())
    case "admin's session":
      return session(column, async () => (await holder(route, true)).session())
  }
}

/** Status and reason; the body of a stream is not waited for. */
const ask = async (route: Route, column: Column) => {
  const bearer = await credential(column, route)
  const answer = await fetch(hub.url + route.path, {
    method: route.method,
    redirect: "manual",
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    ...(route.method === "GET" ? {} : { body: "{}" })
  })
  const streams = answer.headers.get("content-type")?.startsWith("text/event-stream") === true
  if (streams) await answer.body?.cancel()
  const text = streams ? "" : await answer.text()
  const reason = answer.status < 400 ? undefined : (JSON.parse(text) as { reason: string }).reason
  return { status: answer.status, ...(reason !== undefined && { reason }) }
}

describe("the gate", () => {
  it("has a row for every route of the contract, and no row too many", () => {
    expect(Object.keys(gateTable).sort()).toEqual(routes.map(({ id }) => id).sort())
  })

  it("asks each route for the scope that the specification names", () => {
    const asked = routes.filter((route) => route.scopes.length > 0)
    expect(Object.fromEntries(asked.map((route) => [route.id, route.scopes]))).toEqual(scopeTable)
    for (const named of Object.values(scopeTable).flat()) expect(isScope(named)).toBe(true)
  })

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))("keeps %s", async (_, route) => {
    for (const [at, column] of columns.entries()) {
      const answer = await ask(route, column)
      const expected = verdicts[gateTable[route.id]![at]!]
      if (expected === undefined)
        expect([401, 403], `${column}: ${JSON.stringify(answer)}`).not.toContain(answer.status)
      else expect(answer, column).toEqual(expected)
    }
  })
})
