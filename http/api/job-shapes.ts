/** Shapes of jobs that their contract and their events share. Owns no path. */
import { Schema } from "effect"
import { targetStates } from "../../src/domain/job/job.ts"

/** How many targets are in each state. */
export const TargetCounts = Schema.Struct(
  Object.fromEntries(targetStates.map((state) => [state, Schema.Int])) as {
    readonly [K in (typeof targetStates)[number]]: typeof Schema.Int
  }
).annotate({ identifier: "TargetCounts", description: "How many targets are in each state" })
