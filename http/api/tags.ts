/** The contract of changes of tags, and the shapes of tags. Owns these; src/domain/daemon/tags.ts has their form. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { taggedDaemonsMax } from "../../src/limits/tags.ts"
import { tagsPerDaemonMax, tagValueCharsMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { bodyFailures, failures, recentLoginFailures } from "./failures.ts"
import { Words } from "./shapes.ts"

export const TagValues = Schema.Record(Schema.String, Schema.String)

/** A body that gives tags. */
export const NewTags = Schema.Struct({
  tags: TagValues.annotate({
    description: `At most ${tagsPerDaemonMax}; keys of lower-case letters, digits and ._/-, values of up to ${tagValueCharsMax} characters without a comma, or empty`
  })
}).annotate({ identifier: "NewTags" })

/** What an owner gave a daemon, and what counts. */
export const Tagged = Schema.Struct({ success: Schema.Literal(true), tags: TagValues, ownerTags: TagValues }).annotate({
  identifier: "TaggedDaemon"
})

const TagChanges = Schema.Struct({
  tags: Schema.Record(Schema.String, Schema.NullOr(Schema.String)).annotate({
    description: "Of each key its new value, or null: the owner's tag of this key is removed. Others stay as they are"
  })
}).annotate({ identifier: "TagChanges" })

const TaggedFleet = Schema.Struct({
  success: Schema.Literal(true),
  changed: Schema.Int.annotate({ description: "Daemons that were meant" })
}).annotate({ identifier: "TaggedFleet" })

const change = { kind: "any", scope: "ide:control", role: "admin", recent: true, onHangUp: "finish" } as const
const tagging = access({ ...change, bodyBytes: 65_536, audits: "daemon.tagged" })
const selector = {
  selector: Schema.String.annotate({
    description: `Whose tags are changed (\`env=prod,gpu\`), at most ${taggedDaemonsMax} daemons; it may not be empty`
  })
}
const all =
  "Of all daemons that the selector means, or, where one of them would have too many tags, of none. Keys that are not named stay as they are. In force on every node at once."

export const Tags = HttpApiGroup.make("tags")
  .annotateMerge(OpenApi.annotations({ description: "Tags of one daemon and of many, changed key by key." }))
  .add(
    HttpApiEndpoint.patch("merge", "/api/v1/daemons/:daemonId/tags", {
      params: { daemonId: Schema.String.annotate({ description: "Id of a daemon of this account" }) },
      payload: TagChanges,
      success: Tagged,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, [
        "Change some tags of a daemon",
        "Keys that are not named stay as they are, also where two callers change tags at the same time."
      ])
      .annotateMerge(tagging),
    HttpApiEndpoint.put("set", "/api/v1/tags", {
      query: selector,
      payload: NewTags,
      success: TaggedFleet,
      error: failures(...recentLoginFailures, ...bodyFailures)
    })
      .annotate(Words, ["Give many daemons tags", all])
      .annotateMerge(tagging),
    HttpApiEndpoint.patch("change", "/api/v1/tags", {
      query: selector,
      payload: TagChanges,
      success: TaggedFleet,
      error: failures(...recentLoginFailures, ...bodyFailures)
    })
      .annotate(Words, ["Change some tags of many daemons", all])
      .annotateMerge(tagging)
  )
