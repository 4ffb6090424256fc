/** What the hub that runs in the data folder says of its process. Owns the asking and the reading; judges nothing. */
import { Effect, Exit, Schema } from "effect"
import { ask } from "../admin/client.ts"

const Described = Schema.Struct({
  pid: Schema.Number,
  descriptorsMax: Schema.NullOr(Schema.Number),
  descriptorsUsed: Schema.NullOr(Schema.Number),
  proxies: Schema.Array(Schema.Struct({ address: Schema.String, trusted: Schema.Boolean }))
})

/** What it says of its process. */
export type RunningHub = typeof Described.Type

const read = Schema.decodeUnknownExit(Described)

/** Undefined where none runs; a sentence where one does and does not say. */
export const runningHub = (dataDir: string): Effect.Effect<RunningHub | string | undefined> =>
  ask(dataDir, { request: { op: "process describe" } }).pipe(
    Effect.map((answer) => {
      if (answer === undefined) return undefined
      if (!answer.ok) return answer.refusal
      const described = read(answer.answer)
      return Exit.isSuccess(described) ? described.value : "the hub that runs says nothing of itself"
    }),
    Effect.catch(({ sentence }) => Effect.succeed(sentence))
  )
