/**
 * The order in which test files run: what takes long first, so that no core waits for the last one; within that by
 * project, as a worker that goes on with the next file of its project has its modules already. Owns the guess for a
 * file whose time of an earlier run is not known: what starts processes and browsers takes longest.
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

const longMillis = 5_000

/** Vitest's sequencer. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const ranked = files.map((file) => {
      const millis = this.ctx.cache.getTestSpecificationResult(file)?.duration ?? guess(file.moduleId)
      return { file, millis, rank: `${millis >= longMillis ? 0 : 1} ${file.project.name}` }
    })
    ranked.sort((one, other) => (one.rank === other.rank ? other.millis - one.millis : one.rank < other.rank ? -1 : 1))
    return ranked.map(({ file }) => file)
  }
}
