/**
 * The order in which test files run: project by project, as a worker goes on only with a file of its own project, and
 * else another reads all modules anew, for seconds of a core. The project whose longest file takes longest is first,
 * and within each what takes long, so that no core waits for the last one. Owns the guess for a file whose time of an
 * earlier run is not known: what starts processes and browsers takes longest.
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
    const longest: Record<string, number> = {}
    const timed = files.map((file) => {
      const { name } = file.project
      const millis = this.ctx.cache.getTestSpecificationResult(file)?.duration ?? guess(file.moduleId)
      longest[name] = Math.max(longest[name] ?? 0, millis)
      return { file, name, millis }
    })
    timed.sort(
      (one, other) =>
        longest[other.name]! - longest[one.name]! || one.name.localeCompare(other.name) || other.millis - one.millis
    )
    return timed.map(({ file }) => file)
  }
}
