/** The shapes of tags in the contract. Owns no path; src/domain/daemon/tags.ts has their form. */
import { Schema } from "effect"
import { tagsPerDaemonMax, tagValueCharsMax } from "../../src/limits.ts"

export const TagValues = Schema.Record(Schema.String, Schema.String)

/** A body that gives tags. */
export const NewTags = Schema.Struct({
  tags: TagValues.annotate({
    description: `At most ${tagsPerDaemonMax}; keys of lower-case letters, digits and ._/-, values of up to ${tagValueCharsMax} characters without a comma, or empty`
  })
}).annotate({ identifier: "NewTags" })
