/**
 * Work on the event loop in steps, such as a long list: however many ask at once, one turn of the loop does a few
 * steps. Owns that order: owners take turns, and of one owner a work ends before the next begins, so that few are half
 * done. Each waits within a call, whose number others bound. Knows no work.
 */
import { Effect } from "effect"
import { workStepsPerTurn } from "../limits/edge.ts"

/** Does a step; true: it was the last one. */
export type Step = () => boolean

interface Work {
  readonly step: Step
  readonly weight: number
  readonly ended: (exit: Effect.Effect<void>) => void
}

/** The steps of a process. */
export class WorkTurns {
  readonly #later: (turn: () => void) => unknown
  /** By owner; whose turn is next stands first. */
  readonly #line = new Map<string, Array<Work>>()
  #done = 0
  #isArmed = false

  /** `later`: calls in the next turn. */
  constructor(later: (turn: () => void) => unknown = setImmediate) {
    this.#later = later
  }

  /**
   * Does the first step at once where nothing waits before it; true: it was the last one. Such a work does not count:
   * how many of those there are is bounded by who asks.
   */
  begin(step: Step): boolean {
    if (this.#line.size > 0 || this.#done >= workStepsPerTurn) return false
    if (step()) return true
    this.#done++
    this.#arm()
    return false
  }

  /** Does the steps that are left in later turns. */
  finish(owner: string, step: Step, weight = 1): Effect.Effect<void> {
    return Effect.callback((ended) => {
      const work = { step, weight, ended }
      const own = this.#line.get(owner) ?? []
      own.push(work)
      this.#line.set(owner, own)
      this.#arm()
      return Effect.sync(() => this.#remove(owner, own, work))
    })
  }

  /** Waits until a work may begin that cannot be cut into steps, and takes as long as so many. */
  turn(owner: string, weight: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#line.size > 0 || this.#done > 0) return this.finish(owner, () => true, weight)
      this.#done += weight
      this.#arm()
      return Effect.void
    })
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#later(() => this.#turn())
  }

  #turn(): void {
    this.#isArmed = false
    this.#done = 0
    // who is served moves behind the others, and is met again
    for (const [owner, own] of this.#line) {
      if (this.#done >= workStepsPerTurn) break
      this.#line.delete(owner)
      this.#line.set(owner, own)
      const [work] = own
      this.#done += work!.weight
      const ended = exitOf(work!.step)
      if (ended === undefined) continue
      this.#remove(owner, own, work!)
      work!.ended(ended)
    }
    if (this.#line.size > 0) this.#arm()
  }

  #remove(owner: string, own: Array<Work>, work: Work): void {
    const at = own.indexOf(work)
    if (at >= 0) own.splice(at, 1)
    if (own.length === 0 && this.#line.get(owner) === own) this.#line.delete(owner)
  }
}

/** Undefined: more steps are left. */
const exitOf = (step: Step): Effect.Effect<void> | undefined => {
  try {
    return step() ? Effect.void : undefined
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** Those of this process. */
export const workTurns = new WorkTurns()
