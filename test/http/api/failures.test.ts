/** Each endpoint declares what the steps before its action may refuse, and its action fails in no other way. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Option } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { type Access, AccessOf, isKeyed } from "../../../http/api/access.ts"
import { Api } from "../../../http/api/api.ts"
import { idempotentFailures } from "../../../http/api/failures.ts"
import { problems, type Tag } from "../../../http/api/problems.ts"
import type { System } from "../../../http/api/system.ts"
import type { Routes } from "../../../http/pipeline/action.ts"
import { DaemonOffline, NotFound } from "../../../src/errors.ts"
import { root } from "../../support/root.ts"

interface Declared {
  readonly id: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly access: Access
  readonly reasons: ReadonlySet<string>
}

const reasonsOf = (errors: ReadonlyMap<number, ReadonlyArray<{ readonly ast: unknown }>>): ReadonlySet<string> =>
  new Set(
    [...errors.values()].flat().map(({ ast }) => {
      const { propertySignatures } = ast as { propertySignatures: ReadonlyArray<{ name: string; type: never }> }
      const { literal } = propertySignatures.find(({ name }) => name === "reason")!.type as { literal: string }
      return literal
    })
  )

const all: Array<Declared> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, mergedAnnotations, errors }) => {
    const access = Option.getOrThrow(Context.getOption(mergedAnnotations, AccessOf))
    all.push({ id: `${group.identifier}.${endpoint.identifier}`, endpoint, access, reasons: reasonsOf(errors) })
  }
})

/** What the guard, the decoders and the idempotent runs may answer at an endpoint. */
const before = ({ endpoint, access }: Declared): ReadonlyArray<Tag> => {
  const keyOnly = access.kind === "any" && access.recent !== true && access.quota !== false
  const scoped = access.kind === "session" || access.scope !== undefined || access.anyScope !== undefined
  return [
    "StoreFailed",
    ...(access.limited === false ? [] : (["RateLimited"] as const)),
    ...(access.kind === "public" ? [] : (["AuthRequired", "AuthInvalid"] as const)),
    ...(scoped ? (["AuthForbidden"] as const) : []),
    ...(access.recent === true ? (["RecentLoginRequired"] as const) : []),
    ...(keyOnly ? (["ApiLimitExceeded"] as const) : []),
    ...(access.tellsExpired === true ? (["TokenExpired"] as const) : []),
    ...(access.loopback === true ? (["NotFound", "RateLimited"] as const) : []),
    ...(endpoint.params === undefined ? [] : (["NotFound"] as const)),
    ...(endpoint.query === undefined ? [] : (["ValidationFailed"] as const)),
    ...(endpoint.payload.size === 0 ? [] : (["ValidationFailed", "PayloadTooLarge", "Overloaded"] as const)),
    ...(access.concurrency === undefined ? [] : (["Overloaded"] as const)),
    ...(isKeyed(endpoint.method, access) ? idempotentFailures : [])
  ]
}

describe("an endpoint of the contract", () => {
  it("says as what its changes are audited, or that they are not, unless it is a read", () => {
    const silent = all.filter(({ endpoint, access }) => endpoint.method !== "GET" && access.audits === undefined)
    expect(silent.map(({ id }) => id)).toEqual([])
  })

  it.each(all.map((one) => [one.id, one] as const))("%s declares what may refuse it before its action", (_, one) => {
    const missing = before(one).filter((tag) => !one.reasons.has(problems[tag].reason))
    expect(missing).toEqual([])
  })

  it("declares failures of an Idempotency-Key only where it honours one; docs/idempotency.md names the POSTs that do not", () => {
    const conflict = problems.IdempotencyConflict.reason
    const honours = ({ endpoint, access }: Declared) => isKeyed(endpoint.method, access)
    expect(all.filter((one) => one.reasons.has(conflict) !== honours(one)).map(({ id }) => id)).toEqual([])
    const page = readFileSync(join(root, "docs/idempotency.md"), "utf8")
    const excepted = [...(/except those of (.*?) which ignore it/su.exec(page)?.[1] ?? "").matchAll(/`\/(.*?)`/gu)]
    const ignoring = all
      .filter((one) => one.endpoint.method === "POST" && one.endpoint.path.startsWith("/api/v1/") && !honours(one))
      .map(({ endpoint }) => endpoint.path.slice("/api/v1/".length).replace(/:(\w+)/gu, "{$1}"))
    const unnamed = ignoring.filter((path) => !excepted.some(([, prefix]) => `${path}/`.startsWith(`${prefix}/`)))
    expect(unnamed).toEqual([])
  })

  it("keeps nothing for a repeat that is shown once", () => {
    const shownOnce = ({ endpoint }: Declared) =>
      [...endpoint.success].flatMap(({ ast }) => {
        const { propertySignatures = [] } = ast as {
          readonly propertySignatures?: ReadonlyArray<{
            readonly name: string
            readonly type: {
              readonly annotations?: { readonly description?: string }
              readonly context?: { readonly isOptional: boolean }
            }
          }>
        }
        return propertySignatures
          .filter(({ type }) => /shown once/iu.test(type.annotations?.description ?? ""))
          .map(({ name, type }) => ({ name, isOptional: type.context?.isOptional === true }))
      })
    const keyed = all.filter(({ endpoint, access }) => isKeyed(endpoint.method, access))
    expect(keyed.filter((one) => shownOnce(one).length > 0).length).toBeGreaterThan(5)
    const kept = keyed.flatMap((one) =>
      shownOnce(one)
        .filter(({ name, isOptional }) => !isOptional || one.access.secrets?.includes(name) !== true)
        .map(({ name }) => `${one.id}: ${name}`)
    )
    expect(kept).toEqual([])
  })

  it("says what a caller who hangs up means: whatever changes something is finished, except commands and sign-ins", () => {
    const cancelled = all.filter(({ endpoint, access }) => endpoint.method !== "GET" && access.onHangUp === "cancel")
    expect(cancelled.map(({ id }) => id).sort()).toEqual(
      `approvals.resolve auth.exchange auth.login connectedApps.show daemons.command daemons.terminal
      deviceCodes.show policies.evaluate shortcuts.approve shortcuts.debugWith shortcuts.interrupt
      shortcuts.launch shortcuts.send shortcuts.stop`.split(/\s+/u)
    )
    const finished = all.filter(({ endpoint, access }) => endpoint.method === "GET" && access.onHangUp === "finish")
    expect(finished.map(({ id }) => id)).toEqual([])
  })
})

it("does not compile with an action that fails in a way its endpoint does not declare", () => {
  const routes: Partial<Routes<typeof System>> = {
    metrics: () => Effect.fail(new NotFound()),
    // @ts-expect-error: healthz declares no offline daemon
    health: () => Effect.fail(new DaemonOffline())
  }
  expect(Object.keys(routes)).toHaveLength(2)
})
