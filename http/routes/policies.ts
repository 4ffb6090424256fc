/** The routes of policies. Owns how their bodies are read and shown; src/domain/policy has the rules. */
import { Clock, Effect } from "effect"
import { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import { Bus } from "../../src/bus/bus.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import { readSelector, selectorText } from "../../src/domain/daemon/selector.ts"
import type { Policy } from "../../src/domain/policy/policy.ts"
import { type Rule, ruleIssues, ruleWarnings } from "../../src/domain/policy/rule.ts"
import {
  type Issue,
  invalid,
  NotFound,
  Overloaded,
  PolicyLimitReached,
  PreconditionFailed,
  ValidationFailed
} from "../../src/errors.ts"
import { rulesBytesMax, rulesPerAccountMax, rulesPerStepMax } from "../../src/limits/policies.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { workTurns } from "../../src/runtime/work-turns.ts"
import type { RulesCase } from "../../src/runtime/worker/tasks.ts"
import { type Expected, Policies as Store } from "../../src/store/policies/policies.ts"
import type { Policies } from "../api/policies.ts"
import type { Routes } from "../pipeline/action.ts"
import { json } from "../pipeline/response.ts"

type Called<K extends keyof Routes<typeof Policies>> = Parameters<Routes<typeof Policies>[K]>[0]

/** Rules without a fault, read some at a time so that no turn is long. */
const checked = Effect.fnUntraced(function* (accountId: string, rules: ReadonlyArray<Rule>) {
  const issues: Array<Issue> = []
  let at = 0
  const step = (): boolean => {
    for (const rule of rules.slice(at, at + rulesPerStepMax)) {
      for (const { member, message } of ruleIssues(rule)) issues.push({ path: `rules.${at}.${member}`, message })
      at++
    }
    return at === rules.length
  }
  if (!workTurns.begin(step)) yield* workTurns.finish(accountId, step)
  return issues.length === 0 ? rules : yield* new ValidationFailed({ issues })
})

const tagOf = (version: number): string => `"${version}"`

/** The version that a change is of, by its headers. A tag that none of ours can be is of a version that never was. */
const expectedBy = (headers: Called<"set">["headers"]): Expected => {
  if (headers["if-none-match"]?.trim() === "*") return "none"
  const given = headers["if-match"]?.trim()
  if (given === undefined || given === "") return undefined
  if (given === "*") return "some"
  const number = Number(/^(?:W\/)?"(\d{1,15})"$/u.exec(given)?.[1])
  return Number.isSafeInteger(number) ? number : -1
}

const shown = ({ selector, ...rest }: Policy) => ({ ...rest, selector: selectorText(selector) })

const answered = (policy: Policy, warnings: ReadonlyArray<string> = []) =>
  json(200, { ...shown(policy), ...(warnings.length > 0 && { warnings }) }, [["ETag", tagOf(policy.version)]])

const draftOf = Effect.fnUntraced(function* (accountId: string, id: string, given: Called<"set">["payload"]) {
  const { selector: text = "", timeoutSeconds = null, onTimeout = "reject" } = given
  const selector = yield* Effect.fromResult(readSelector(text))
  const rules = yield* checked(accountId, given.rules)
  const updatedAt = yield* Clock.currentTimeMillis
  return { id, selector, rules, default: given.default ?? "ask", timeoutSeconds, onTimeout, updatedAt }
})

/** The routes of `Policies`. */
export const policyRoutes = Effect.gen(function* () {
  const store = yield* Store
  const bus = yield* Bus
  const workerThread = yield* WorkerThread
  const find = (accountId: string, policyId: string) =>
    Effect.flatMap(store.list(accountId), (policies) => {
      const policy = policies.find(({ id }) => id === policyId)
      return policy === undefined ? Effect.fail(new NotFound()) : Effect.succeed(policy)
    })
  const routes: Routes<typeof Policies> = {
    list: ({ principal }) =>
      Effect.map(store.list(principal.accountId), (policies) => ({ policies: policies.map(shown) })),

    show: ({ principal, params }) => Effect.map(find(principal.accountId, params.policyId), (one) => answered(one)),

    set: Effect.fnUntraced(function* ({ principal: { accountId, plan }, params: { policyId }, headers, payload }) {
      const draft = yield* draftOf(accountId, policyId, payload)
      const written = yield* store.put(accountId, plan, draft, expectedBy(headers))
      if (written === "changed") return yield* new PreconditionFailed()
      if (written === "full") return yield* new PolicyLimitReached({ limit: planLimits[plan].policies, plan })
      if (written === "rules") {
        const most = `${rulesPerAccountMax} and have ${rulesBytesMax} bytes`
        return yield* invalid("rules", `all rules of the account together must be at most ${most}`)
      }
      bus.publish("policies_changed", { accountId })
      return answered({ ...draft, version: written }, ruleWarnings(draft.rules))
    }),

    remove: Effect.fnUntraced(function* ({ principal: { accountId }, params: { policyId }, headers }) {
      const expected = expectedBy(headers)
      const removed = yield* store.remove(accountId, policyId, typeof expected === "number" ? expected : undefined)
      if (removed === "changed") return yield* new PreconditionFailed()
      if (!removed) return yield* new NotFound()
      bus.publish("policies_changed", { accountId })
      return { success: true as const, id: policyId }
    }),

    evaluate: Effect.fnUntraced(function* ({ principal: { accountId }, params: { policyId }, payload }) {
      const { action, resource, provider, cwd } = payload
      const given = payload.rules && (yield* checked(accountId, payload.rules))
      const policy = given === undefined ? yield* find(accountId, policyId) : undefined
      const rules = given ?? policy?.rules ?? []
      const byDefault = policy?.default ?? "ask"
      const asked: RulesCase = { rules, byDefault, subject: { action, resource }, where: { provider, cwd } }
      const bytes = new Uint8Array(Buffer.from(JSON.stringify(asked)))
      const done = yield* workerThread.ask(accountId, { task: "rules", bytes })
      if (done?.done !== "verdict") return yield* new Overloaded({ retryAfter: overloadRetrySeconds })
      const rule = rules[done.index]
      return { effect: done.effect, rule: rule === undefined ? null : { index: done.index, ...rule } }
    })
  }
  return routes
})
