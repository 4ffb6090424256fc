/**
 * The contract of calls that wait for an agent: a turn in one call, a long poll of the status. Owns their queries and
 * the answer of a turn; shortcuts.ts has the paths.
 */
import { Schema } from "effect"
import { turnWaits } from "../../src/domain/command/chat-turn.ts"
import { agentWaitSecondsMax, versionCharsMax, waitSecondsUsual } from "../../src/limits/agent-waits.ts"
import { queryWord } from "./optional.ts"
import { AgentState, agentTypeInQuery, CommandDone, commanded, Refusal, wholeNumberUpTo } from "./shapes.ts"

const optional = Schema.optionalKey
const members = Schema.Record(Schema.String, Schema.Unknown)

const timeout = { timeoutSeconds: optional(wholeNumberUpTo(agentWaitSecondsMax, `${waitSecondsUsual} when left out`)) }

/** The query of a message: without `wait` the answer comes once the daemon has taken it. */
export const turnQuery = {
  wait: queryWord(
    Schema.Literals(turnWaits),
    "Answer when the agent is `idle` again (or in error), or also when it waits for an `approval`; needs `agent:read` too"
  ),
  ...timeout
}

/** The query of a status: with `waitFor` the answer comes once it is another than the one of `since`. */
export const statusQuery = {
  ...agentTypeInQuery,
  waitFor: queryWord(Schema.Literals(["change"]), "Answer once the status is another, or the time is over"),
  since: queryWord(
    Schema.String.check(Schema.isMaxLength(versionCharsMax)),
    "The `version` of the status that was seen; left out: the one at the time of the call"
  ),
  ...timeout
}

/** The `version` of an agent's status. */
export const version = Schema.String.annotate({
  description: "Names what this status shows but for its times; give it as `since` to wait for another"
})

const Taken = Schema.Struct({
  success: Schema.Literal(true),
  timedOut: optional(
    Schema.Boolean.annotate({
      description: "The time was over, or the node shut down, before the turn was; the agent goes on"
    })
  ),
  status: optional(AgentState),
  messages: optional(
    Schema.Array(Schema.Unknown).annotate({
      description: "What the chat has after the message; absent where the daemon did not give its chat"
    })
  ),
  activeModal: optional(members.annotate({ description: "The prompt, where the agent waits for an approval" })),
  stopReason: optional(
    Schema.String.annotate({
      description:
        "Where the turn ended before all was said: why, in the agent's word (`max_tokens`, `max_turn_requests`)"
    })
  ),
  version: optional(version),
  result: CommandDone.fields.result,
  ...commanded
}).annotate({
  identifier: "ChatTaken",
  description:
    "The daemon took the message. With `wait` the members of the turn come too: `timedOut`, `status`, `version`"
})

/** The answer to a message, with `wait` or without. */
export const ChatSent = Schema.Union([Taken, Refusal]).annotate({ identifier: "ChatSent" })
