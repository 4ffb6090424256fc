/** The contract of the versions of daemons: policies that say who is updated, when, to what. Owns paths and shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { updateStates } from "../../src/domain/daemon/rollout.ts"
import {
  canaryMinutesMax,
  keptReleasesMax,
  updateFailuresMax,
  versionPolicyIdCharsMax
} from "../../src/limits/daemon-versions.ts"
import { packageVersionCharsMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { bodyFailures, failures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { optional } from "./optional.ts"
import { removed, Words } from "./shapes.ts"

/** Days as the contract names them, Sunday first. */
export const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const

/** How a daemon stands with the policy that applies to it. */
export const DaemonUpdate = Schema.Struct({
  state: Schema.Literals(updateStates),
  policy: Schema.String,
  version: Schema.NullOr(Schema.String).annotate({
    description: "What it is to have; null: nothing that this hub has"
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why its update failed" })
}).annotate({ identifier: "DaemonUpdate" })

const whole = (least: number, most: number) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(least), Schema.isLessThanOrEqualTo(most))
const Time = Schema.String.annotate({ description: "Hours and minutes, UTC: `22:00`" })
const Day = Schema.Literals(days)

const NewWindow = Schema.Struct({
  days: optional(Schema.Array(Day), "Days on which it begins; absent: every day"),
  from: Time,
  to: Time.annotate({ description: "The same; before `from`: on the next day" })
})
const NewCanary = Schema.Struct({
  count: optional(whole(1, 100_000), "So many daemons; otherwise `percent`"),
  percent: optional(whole(1, 100), "So many of a hundred, rounded up"),
  minutes: whole(0, canaryMinutesMax).annotate({
    description: "How long the others wait after the last of them counts"
  })
})

const versionWords =
  "`hub`: what this hub serves, never an older one. `hold`: they stay as they are. Otherwise this very version, as long as the hub keeps it"

const NewVersionPolicy = Schema.Struct({
  selector: optional(Schema.String, "Which daemons, by their tags; absent: all"),
  daemonId: optional(
    Schema.String,
    "The one daemon that is pinned, instead of a selector; this wins over any selector"
  ),
  version: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(packageVersionCharsMax)).annotate({
    description: versionWords
  }),
  window: optional(NewWindow, "When daemons may be told to update; absent: at any time"),
  canary: optional(NewCanary, "Those that go first; absent: none"),
  maxFailures: optional(
    whole(1, updateFailuresMax),
    "Failed updates at which no further daemon is told to update; 1 where it is absent"
  ),
  paused: optional(Schema.Boolean, "Tells no further daemon")
}).annotate({ identifier: "NewVersionPolicy" })

const VersionPolicy = Schema.Struct({
  id: Schema.String,
  selector: Schema.String.annotate({ description: "Empty: all daemons" }),
  daemonId: Schema.NullOr(Schema.String),
  version: Schema.String.annotate({ description: versionWords }),
  window: Schema.NullOr(Schema.Struct({ days: Schema.Array(Day), from: Schema.String, to: Schema.String })),
  canary: Schema.NullOr(
    Schema.Struct({
      count: Schema.optionalKey(Schema.Int),
      percent: Schema.optionalKey(Schema.Int),
      minutes: Schema.Int
    })
  ),
  maxFailures: Schema.Int,
  paused: Schema.Boolean
}).annotate({ identifier: "VersionPolicy" })

const Release = Schema.Struct({ version: Schema.String, sha256: Schema.String })
const Served = Schema.NullOr(Release).annotate({
  description: "The release that this hub serves; null: none was built"
})
const VersionPolicyList = Schema.Struct({
  policies: Schema.Array(VersionPolicy),
  served: Served,
  kept: Schema.Array(Release).annotate({
    description: `The releases that a policy may name: at most ${keptReleasesMax} that this hub serves or has served, the one served last first`
  })
}).annotate({ identifier: "VersionPolicyList" })
const VersionProgress = Schema.Struct({
  policy: VersionPolicy,
  served: Served,
  states: Schema.Struct(
    Object.fromEntries(updateStates.map((state) => [state, Schema.Int])) as {
      readonly [S in (typeof updateStates)[number]]: typeof Schema.Int
    }
  ).annotate({ description: "How many daemons it applies to stand how" }),
  stopped: Schema.Boolean.annotate({ description: "As many have failed as may: no further daemon is told" })
}).annotate({ identifier: "VersionProgress" })
const RemovedVersionPolicy = removed("RemovedVersionPolicy")

const path = "/api/v1/daemon-versions"
const params = {
  policyId: Schema.String.check(
    Schema.isPattern(/^[a-z0-9][a-z0-9_-]*$/u),
    Schema.isMaxLength(versionPolicyIdCharsMax)
  ).annotate({ description: "A name of your own: lower-case letters, digits, `-` and `_`" })
}
const read = { kind: "session", role: "admin", onHangUp: "cancel" } as const
const change = { kind: "session", role: "admin", recent: true, onHangUp: "finish" } as const

/** `/api/v1/daemon-versions`. */
export const DaemonVersions = HttpApiGroup.make("daemonVersions")
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Versions of daemons: without a policy no daemon is told to update. Of several the first by id counts."
    })
  )
  .add(
    HttpApiEndpoint.get("list", path, { success: VersionPolicyList, error: failures(...sessionFailures) })
      .annotate(Words, ["List policies of versions", "In the order of their ids."])
      .annotateMerge(access(read)),
    HttpApiEndpoint.get("show", `${path}/:policyId`, {
      params,
      success: VersionProgress,
      error: failures(...sessionFailures, "NotFound")
    })
      .annotate(Words, ["Progress of a policy", "The state of each daemon is `update` in the list of daemons."])
      .annotateMerge(access(read)),
    HttpApiEndpoint.put("set", `${path}/:policyId`, {
      params,
      payload: NewVersionPolicy,
      success: VersionPolicy,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, [
        "Set a policy of versions",
        "Replaces one of the same id, and forgets its failures: their daemons are told again."
      ])
      .annotateMerge(access({ ...change, bodyBytes: 16_384, audits: "daemon_version.set" })),
    HttpApiEndpoint.delete("remove", `${path}/:policyId`, {
      params,
      success: RemovedVersionPolicy,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, ["Remove a policy of versions", "Daemons that were told already go on."])
      .annotateMerge(access({ ...change, audits: "daemon_version.removed" }))
  )
