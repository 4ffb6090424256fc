/** The routes of the versions of daemons. Owns how a policy is read and shown; the rollouts act by it. */
import { Effect, Result } from "effect"
import { OfferedReleases } from "../../actors/daemon-versions/offered-releases.ts"
import { Rollouts } from "../../actors/daemon-versions/rollouts.ts"
import { Bus } from "../../src/bus/bus.ts"
import { updateStates } from "../../src/domain/daemon/rollout.ts"
import { readSelector, selectorText } from "../../src/domain/daemon/selector.ts"
import type { Offered, VersionPolicy } from "../../src/domain/daemon/version-policy.ts"
import { invalid, NotFound, type ValidationFailed } from "../../src/errors.ts"
import { versionPoliciesMax } from "../../src/limits/daemon-versions.ts"
import { DaemonVersions as Store } from "../../src/store/daemons/daemon-versions.ts"
import { type DaemonVersions, days } from "../api/daemon-versions.ts"
import type { Routes } from "../pipeline/action.ts"

type Given = Parameters<Routes<typeof DaemonVersions>["set"]>[0]["payload"]

const wrong = (path: string, message: string) => Result.fail(invalid(path, message))

/** Hours and minutes of a day. */
const timeForm = /^(?:[01]\d|2[0-3]):[0-5]\d$/u
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const timeOf = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":")

const windowOf = ({ window }: Given): VersionPolicy["window"] =>
  window === undefined
    ? null
    : {
        days: (window.days ?? days).map((day) => days.indexOf(day)),
        from: minutesOf(window.from),
        to: minutesOf(window.to)
      }

const policyOf = (id: string, given: Given, { own, kept }: Offered): Result.Result<VersionPolicy, ValidationFailed> => {
  const { selector = "", daemonId = null, version, canary = null, maxFailures = 1, paused = false } = given
  const read = readSelector(selector)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  if (daemonId !== null && read.success.length > 0) return wrong("selector", "must be absent where `daemonId` is there")
  if (canary !== null && (canary.count === undefined) === (canary.percent === undefined))
    return wrong("canary", "must have one of `count` and `percent`")
  // any other version would wait for ever
  const named = ["hub", "hold", ...new Set([...(own === undefined ? [] : [own]), ...kept].map((one) => one.version))]
  if (!named.includes(version)) return wrong("version", `must be one of ${named.join(", ")}`)
  for (const end of ["from", "to"] as const)
    if (given.window !== undefined && !timeForm.test(given.window[end]))
      return wrong(`window.${end}`, "must be hours and minutes of a day, such as 22:00")
  const window = windowOf(given)
  return Result.succeed({ id, selector: read.success, daemonId, version, window, canary, maxFailures, paused })
}

const shown = ({ selector, window, ...rest }: VersionPolicy) => ({
  ...rest,
  selector: selectorText(selector),
  window: window && { days: window.days.map((day) => days[day]!), from: timeOf(window.from), to: timeOf(window.to) }
})

/** The routes of `DaemonVersions`. */
export const daemonVersionRoutes = Effect.gen(function* () {
  const store = yield* Store
  const rollouts = yield* Rollouts
  const bus = yield* Bus
  const releases = yield* OfferedReleases
  const routes: Routes<typeof DaemonVersions> = {
    list: Effect.fnUntraced(function* ({ principal }) {
      const policies = yield* store.list(principal.accountId)
      const { own = null, kept } = yield* releases.read
      return { policies: policies.map(shown), served: own, kept }
    }),

    show: Effect.fnUntraced(function* ({ principal: { accountId }, params: { policyId } }) {
      const policy = (yield* store.list(accountId)).find(({ id }) => id === policyId)
      if (policy === undefined) return yield* new NotFound()
      const its = [...(yield* rollouts.states(accountId)).values()].filter((one) => one.policy === policyId)
      const number = (state: string): number => its.filter((one) => one.state === state).length
      const states = Object.fromEntries(updateStates.map((state) => [state, number(state)])) as {
        readonly [S in (typeof updateStates)[number]]: number
      }
      const { own: served = null } = releases.known()
      return { policy: shown(policy), served, states, stopped: states.failed >= policy.maxFailures }
    }),

    set: Effect.fnUntraced(function* ({ principal: { accountId }, params: { policyId }, payload }) {
      const policy = yield* Effect.fromResult(policyOf(policyId, payload, yield* releases.read))
      const refused = yield* store.put(accountId, policy)
      if (refused === "no daemon") return yield* new NotFound({ what: "daemon of this id in this account" })
      if (refused === "full") {
        const message = `must be one of the ${versionPoliciesMax} policies that the account has, which are as many as it may have`
        return yield* invalid("policyId", message)
      }
      bus.publish("daemon_versions_changed", { accountId })
      return shown(policy)
    }),

    remove: Effect.fnUntraced(function* ({ principal: { accountId }, params: { policyId } }) {
      if (!(yield* store.remove(accountId, policyId))) return yield* new NotFound()
      bus.publish("daemon_versions_changed", { accountId })
      return { success: true as const, id: policyId }
    })
  }
  return routes
})
