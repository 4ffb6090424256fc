/**
 * The process of a hub that runs in the data folder: what it says of itself, whether it may open enough, and whom it
 * trusts as a proxy. One that is not trusted makes all its callers one address, and too wide a trust lets each caller
 * choose its own. Owns which facts those are and the judgement; src/runtime/ reads them.
 */
import { Effect, Exit, Schema } from "effect"
import { ask } from "../admin/client.ts"
import type { Settings } from "../config.ts"
import { descriptorsEnough, descriptorsFew, descriptorsShareFull, descriptorsShareHigh } from "../limits/doctor.ts"
import { descriptorsMax, lowestFree } from "../runtime/descriptors.ts"
import { type ProxySeen, proxiesSeen } from "../runtime/proxies-seen.ts"
import { error, type Finding, grouped, ok, skipped, warning } from "./finding.ts"

/** `null` for a number that the system does not say. */
const Described = Schema.Struct({
  pid: Schema.Number,
  descriptorsMax: Schema.NullOr(Schema.Number),
  descriptorsUsed: Schema.NullOr(Schema.Number),
  proxies: Schema.Array(Schema.Struct({ address: Schema.String, trusted: Schema.Boolean }))
})

/** What it says of its process. */
type RunningHub = typeof Described.Type

/** An infinity has no form in JSON. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** The facts of this process, for who asks from another. */
export const describeProcess = (): RunningHub => ({
  pid: process.pid,
  descriptorsMax: finite(descriptorsMax()),
  descriptorsUsed: finite(lowestFree()),
  proxies: proxiesSeen.list()
})

const read = Schema.decodeUnknownExit(Described)

/** Undefined where none runs; a sentence where one does and does not say. */
const runningHub = (dataDir: string): Effect.Effect<RunningHub | string | undefined> =>
  ask(dataDir, { request: { op: "process describe" } }).pipe(
    Effect.map((answer) => {
      if (answer === undefined) return undefined
      if (!answer.ok) return answer.refusal
      const described = read(answer.answer)
      return Exit.isSuccess(described) ? described.value : "the hub that runs says nothing of itself"
    }),
    Effect.catch(({ sentence }) => Effect.succeed(sentence))
  )

const raise =
  "raise the limit of the process (systemd LimitNOFILE=1048576, docker --ulimit nofile=1048576, ulimit -n), then start the hub anew"

/** `used` of a hub that runs; undefined: none does, and the limit is that of this shell. */
export const judgeDescriptors = (max: number, used: number | undefined): Finding => {
  const whose = used === undefined ? "a hub started from here may open" : "the hub that runs may open"
  const limit = `${whose} ${max === Number.POSITIVE_INFINITY ? "any number of" : grouped(max)} files and connections`
  if (max < descriptorsFew) return error("file descriptors", limit, raise)
  const said = used === undefined ? limit : `${limit} and has ${grouped(used)} open`
  if (used !== undefined && used >= max * descriptorsShareFull) return error("file descriptors", said, raise)
  if (used !== undefined && used >= max * descriptorsShareHigh) return warning("file descriptors", said, raise)
  return max < descriptorsEnough ? warning("file descriptors", said, raise) : ok("file descriptors", said)
}

const listed = (seen: ReadonlyArray<ProxySeen>): string => seen.map(({ address }) => address).join(", ")

/** `seen`: by the hub that runs; undefined: none does. */
export const judgeProxies = (trusted: ReadonlyArray<string>, seen: ReadonlyArray<ProxySeen> | undefined): Finding => {
  const all = trusted.filter((range) => range.endsWith("/0"))
  if (all.length > 0)
    return error(
      "proxies",
      `HUB_TRUSTED_PROXIES trusts ${all.join(" and ")}: each caller chooses its own address, and so passes every limit per address`,
      "name the ranges of your proxies only"
    )
  const trusts = trusted.length === 0 ? "no proxy is trusted" : `trusted: ${trusted.join(", ")}`
  if (seen === undefined) return skipped("proxies", `${trusts}; no hub runs here that could say which it sees`)
  const strange = seen.filter((one) => !one.trusted)
  if (strange.length > 0)
    return warning(
      "proxies",
      `requests with X-Forwarded-For come from ${listed(strange)}, which HUB_TRUSTED_PROXIES does not name: all callers behind it count as one address`,
      "if that is your proxy, add its range to HUB_TRUSTED_PROXIES; if not, nothing: the header is not believed"
    )
  return ok("proxies", `${trusts}; ${seen.length === 0 ? "none seen since the start" : `seen: ${listed(seen)}`}`)
}

const judged = ({ trustedProxies }: Settings, hub: RunningHub | string | undefined): ReadonlyArray<Finding> => {
  if (typeof hub === "string")
    return [
      warning("hub", hub, "if it is of another version, end it and start this one"),
      skipped("proxies", "the hub that runs does not say which it sees")
    ]
  if (hub === undefined)
    return [
      ok("hub", "none runs in this data folder"),
      judgeDescriptors(descriptorsMax(), undefined),
      judgeProxies(trustedProxies, undefined)
    ]
  return [
    ok("hub", `runs as process ${hub.pid}`),
    judgeDescriptors(hub.descriptorsMax ?? Number.POSITIVE_INFINITY, hub.descriptorsUsed ?? undefined),
    judgeProxies(trustedProxies, hub.proxies)
  ]
}

/** Asks and judges it. */
export const checkProcess = (settings: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(runningHub(settings.dataDir), (hub) => judged(settings, hub))
