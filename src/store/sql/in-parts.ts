/**
 * Runs a statement over entries, and over parts of them when one of them is at fault, so that it keeps back no other.
 * Owns how they are cut; sql-errors.ts says whose fault a failure is. Repeats nothing.
 */
import { type Cause, Effect, Exit } from "effect"
import type { StoreFailed } from "../../errors.ts"
import { rowsFault } from "./sql-errors.ts"

/** Whether it failed by an entry. A defect did, as of one that cannot be written as JSON. */
export const isAnEntrys = (cause: Cause.Cause<StoreFailed>): boolean =>
  cause.reasons.some((reason) => reason._tag === "Die" || (reason._tag === "Fail" && rowsFault(reason.error)))

/**
 * Cuts in halves what fails by an entry, until that one stands alone. `over` is told of each part how it ended, in the
 * order of the entries; what fails by the state of the store is not cut. `over` must not throw.
 */
export const inParts = <A, B>(
  entries: ReadonlyArray<A>,
  run: (part: ReadonlyArray<A>) => Effect.Effect<B, StoreFailed>,
  over: (part: ReadonlyArray<A>, exit: Exit.Exit<B, StoreFailed>) => void
): Effect.Effect<void> =>
  Effect.flatMap(Effect.exit(Effect.suspend(() => run(entries))), (exit) => {
    if (Exit.isSuccess(exit) || entries.length === 1 || !isAnEntrys(exit.cause))
      return Effect.sync(() => over(entries, exit))
    const middle = entries.length >> 1
    const [first, rest] = [entries.slice(0, middle), entries.slice(middle)]
    return Effect.andThen(inParts(first, run, over), inParts(rest, run, over))
  })
