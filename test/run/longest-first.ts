/**
 * The order in which test files run: those that take longest first, over all projects, so that no core waits for the
 * last one; the rules, which share their workers, behind them. Owns the guess for a file whose time of an earlier run
 * is not known: what starts processes and browsers takes longest.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By the kind that a file's name ends with, milliseconds. */
const guesses = [
  [".night.", 60_000],
  [".faults.", 30_000],
  [".contract.", 20_000],
  [".browser.", 15_000],
  [".cluster.", 10_000],
  [".io.", 6_000],
  [".db.", 3_000]
] as const
const guess = (file: string): number => guesses.find(([kind]) => file.includes(kind))?.[1] ?? 500

/** Vitest's sequencer. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const ranked = files.map((file) => ({
      file,
      shares: file.project.config.isolate ? 0 : 1,
      millis: this.ctx.cache.getTestSpecificationResult(file)?.duration ?? guess(file.moduleId)
    }))
    return ranked.sort((one, other) => one.shares - other.shares || other.millis - one.millis).map(({ file }) => file)
  }
}
