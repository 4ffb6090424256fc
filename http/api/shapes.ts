/** What several groups of the contract share: shapes, queries, how an endpoint is described. Owns no path. */

import { Context, Schema, SchemaGetter } from "effect"
import { scopes } from "../../src/domain/account/scopes.ts"
import { daemonOrders, daemonStatuses } from "../../src/domain/daemon/daemon-filter.ts"
import { updateStates } from "../../src/domain/daemon/rollout.ts"
import { oneLine } from "../../src/domain/text/one-line.ts"
import { outputEndCharsMax } from "../../src/limits/commands.ts"
import { findCharsMax, findWordsMax } from "../../src/limits/daemon-api.ts"
import { pathCharsMax, selectorTermsMax, targetCharsMax, wordCharsMax } from "../../src/limits.ts"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { optionalWord, queryWord } from "./optional.ts"

const optional = Schema.optionalKey

const wholeNumber = { type: "integer", minimum: 1 }

/** A name that people give: one line, of so many characters at most, which may be none. */
export const Name = (charsMax: number) => Schema.String.check(Schema.isMaxLength(charsMax), Schema.isPattern(oneLine))

/** A point in time. */
export const millis = Schema.Int.annotate({ description: "Epoch milliseconds" })

/** A provider type, an agent type, a model, a name. */
export const Word = Schema.String.check(Schema.isPattern(/\S/u), Schema.isMaxLength(wordCharsMax))
export const Path = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(pathCharsMax))

/** The annotation of what an endpoint is for: `.annotate(Words, ["List jobs", "Newest first."])`. */
export class Words extends Context.Service<Words, readonly [summary: string, description?: string]>()("hub/Words") {}

/** What a credential is asked to allow. */
export const Scopes = Schema.Array(Schema.Literals(scopes)).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(scopes.length)
)

/** That what had this id is gone. */
export const removed = (identifier: string) =>
  Schema.Struct({ success: Schema.Literal(true), id: Schema.String }).annotate({ identifier })

/** The members of every answer to a command. */
export const commanded = {
  commandId: Schema.String.annotate({ description: "Names the command in logs, on both sides" }),
  durationMs: Schema.Finite.annotate({ description: "From acceptance to the daemon's answer" })
}

/** What came of a terminal command. */
export const TerminalResult = Schema.Struct({
  exitCode: Schema.NullOr(Schema.Finite),
  stdout: Schema.String,
  stderr: Schema.String,
  durationMs: Schema.NullOr(Schema.Finite),
  truncated: Schema.Boolean.annotate({ description: "Output is cut to 1 MiB, both streams together" })
})

/** How a terminal command ended, in brief. */
export const terminalOutcome = {
  exitCode: optional(Schema.NullOr(Schema.Int)).annotate({
    description:
      "Of a terminal command that ended; null where its daemon did not say. Of one that a signal ended: 128 and its number"
  }),
  output: optional(
    Schema.Struct({ head: Schema.String, tail: Schema.String }).annotate({ identifier: "OutputEnds" })
  ).annotate({
    description: `What it wrote, standard output first: the beginning and the end, each of ${outputEndCharsMax} characters at most, without sequences for terminals`
  })
}

/** The daemon refused the command. This is not a fault of the hub: status 200. */
export const Refusal = Schema.Struct({
  success: Schema.Literal(false),
  error: Schema.String.annotate({ description: "The daemon's own words" }),
  daemonCode: optional(Schema.String).annotate({ description: "The daemon's own code" }),
  result: optional(TerminalResult).annotate({
    description: "Of a terminal command that was ended, where the daemon says so: what it had printed"
  }),
  ...commanded
}).annotate({ identifier: "Refusal", description: "The daemon refused; this is not a fault of the hub" })

/** The daemon did it. */
export const CommandDone = Schema.Struct({
  success: Schema.Literal(true),
  result: optional(Schema.Unknown).annotate({ description: "What the daemon sent, as it is" }),
  ...commanded
}).annotate({ identifier: "CommandDone" })

export const CommandAnswer = Schema.Union([CommandDone, Refusal]).annotate({ identifier: "CommandAnswer" })

/** The four states of an agent. */
export const AgentState = Schema.Literals(["idle", "generating", "waiting_approval", "error"]).annotate({
  identifier: "AgentState"
})

/** A folder an agent works in. */
export const Workspace = Schema.Struct({ name: Schema.String, path: optional(Schema.String) }).annotate({
  identifier: "Workspace"
})

/** A daemon's id in a path. Its shape is not checked: an id that is not one of the account's is 404. */
export const DaemonParam = { daemonId: Schema.String.annotate({ description: "Id of a daemon of this account" }) }

/** A target in a path. */
export const TargetParam = {
  ideId: Schema.String.annotate({
    description: `<daemonId>:ide|cli|acp:<name>, <daemonId>:session:<sessionId>, or a daemon id; at most ${targetCharsMax} characters`
  })
}

/** Which daemons of the account are meant, by their tags, in a query. */
export const selectorQuery = {
  selector: optional(Schema.String).annotate({
    description: `Only daemons with these tags: \`env=prod,gpu,!spot,region!=eu\`, all of them, at most ${selectorTermsMax}`
  })
}

/** The parameters by which daemons are found, and put in order. */
export const findingQuery = {
  q: optional(Schema.String.check(Schema.isMaxLength(findCharsMax))).annotate({
    description: `Only daemons that have all these words, at most ${findWordsMax}, in their host name, nickname, id, platform, version, tags (\`env=prod\`) or, while they are connected, agents`
  }),
  status: optional(Schema.Literals(daemonStatuses)).annotate({
    description:
      "Only those that are connected, or are not (which needs no `include`), or of which an agent waits for a person, generates, or has failed"
  }),
  update: optional(Schema.Literals(updateStates)).annotate({
    description: "Only those that stand so with the policy of versions that applies to them"
  }),
  sort: optional(Schema.Literals(daemonOrders)).annotate({
    description: "By host name, which it is when absent, by when they were seen, the last first, or by version"
  })
}

/** How many daemons a search has found. */
export const foundTotals = {
  total: optional(Schema.Int).annotate({ description: "Of a search: all that it found, on whatever page" }),
  onlineTotal: optional(Schema.Int).annotate({ description: "Of those the connected ones" })
}

const selects = "Selects the agent in multi-agent IDEs; empty is absent"

/** Narrows what a target means to one kind of agent, in a body. */
export const agentType = { agentType: optionalWord(Word, selects) }
/** The same in a query. */
export const agentTypeInQuery = { agentType: queryWord(Word, selects) }

/** Where a list goes on. */
export const nextCursor = optional(Schema.String).annotate({ description: "Absent on the last page" })
/** The same of a list that looks at a bounded number of rows for each page. */
export const nextCursorOfFiltered = optional(Schema.String).annotate({
  description: "Absent on the last page; one before it may be shorter than was asked for, where a filter lets few pass"
})

/** The `limit` and `cursor` of a list's query. A `limit` above `max` counts as `max`. */
export const pageQuery = (max: number, usual: string) => ({
  limit: optional(wholeNumberUpTo(max, usual)),
  cursor: optional(Schema.String).annotate({ description: "The `nextCursor` of the page before" })
})

/** A number of a query, whose text has this pattern. */
export const numberInQuery = (
  pattern: RegExp,
  message: string,
  description: string,
  wire: object = { type: "integer", minimum: 0 },
  max = Number.POSITIVE_INFINITY
) =>
  Schema.String.check(Schema.isPattern(pattern, { message }))
    .annotate({ description, [wireKey]: wire })
    .pipe(
      Schema.decodeTo(Schema.Finite, {
        decode: SchemaGetter.transform((text: string) => Math.min(Number(text), max)),
        encode: SchemaGetter.transform(String)
      })
    )

/** A moment in a query. */
export const timeInQuery = (description: string) =>
  numberInQuery(/^\d{1,15}$/u, "must be epoch milliseconds", description)

/** A whole number of a query; one above `max` counts as `max`. */
export const wholeNumberUpTo = (max: number, usual: string) =>
  numberInQuery(
    /^0*[1-9]\d*$/u,
    "must be a whole number of at least 1",
    `1 to ${max}, ${usual}; a larger one counts as ${max}`,
    wholeNumber,
    max
  )
