/**
 * A log of failures that may come with every request or event, as while the store is down. Owns which are written (the
 * first of a kind at once, then the last per period with the number suppressed) and what makes two failures one kind.
 */
import { type Cause, Effect, type Scope } from "effect"
import { failureKindCharsMax, failureKindsMax, failureLogMillis } from "../limits/edge.ts"
import { classOf } from "../store/sql/sql-errors.ts"

interface HeldBack<A> {
  last: A | undefined
  count: number
}

/** Calls back after a number of milliseconds. */
export type After = (millis: number, then: () => void) => unknown

const furtherKinds = ""
const framesTold = 3
const frameLine = /^ +at .+$/gmu
const isText = (part: unknown): part is string => typeof part === "string"

/** A throttled log of failures. */
export class FailureLog<A> {
  readonly #kinds = new Map<string, HeldBack<A>>()
  readonly #after: After
  readonly #write: (failure: A, heldBack: number) => void

  constructor(after: After, write: (failure: A, heldBack: number) => void) {
    this.#after = after
    this.#write = write
  }

  /** Adds a failure of this kind. */
  add(kind: string, failure: A): void {
    const told = kind.slice(0, failureKindCharsMax)
    const known = this.#kinds.has(told) || this.#kinds.size < failureKindsMax ? told : furtherKinds
    const held = this.#kinds.get(known)
    if (held === undefined) {
      this.#write(failure, 0)
      return this.#hold(known)
    }
    held.last = failure
    held.count++
  }

  /** Writes what is suppressed so far. */
  end(): void {
    for (const held of this.#kinds.values()) this.#release(held)
    this.#kinds.clear()
  }

  #hold(kind: string): void {
    const held: HeldBack<A> = { last: undefined, count: 0 }
    this.#after(failureLogMillis, () => {
      this.#kinds.delete(kind)
      if (held.last === undefined) return
      this.#release(held)
      this.#hold(kind)
    })
    this.#kinds.set(kind, held)
  }

  #release(held: HeldBack<A>): void {
    const { last, count } = held
    held.last = undefined
    if (last !== undefined) this.#write(last, count - 1)
  }
}

/** A throttled log that lives as long as a scope and writes what is suppressed at its end. */
export const failureLog = <A>(
  after: After,
  write: (failure: A, heldBack: number) => Effect.Effect<void>
): Effect.Effect<FailureLog<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    return yield* Effect.acquireRelease(
      Effect.sync(() => new FailureLog<A>(after, (failure, heldBack) => void fork(write(failure, heldBack)))),
      (failures) => Effect.sync(() => failures.end())
    )
  })

/** Calls back by Effect's Clock, within a scope. */
export const afterByClock: Effect.Effect<After, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  return (millis, then) => fork(Effect.forkIn(Effect.delay(Effect.sync(then), millis), scope))
})

const signOf = (thrown: unknown): string => {
  if (typeof thrown !== "object" || thrown === null) return typeof thrown === "string" ? thrown : typeof thrown
  const { _tag, name, message, stack, operation, cause } = thrown as Readonly<Record<string, unknown>>
  const frames = typeof stack === "string" ? stack.match(frameLine)?.slice(0, framesTold).join("") : undefined
  const place = frames ?? (_tag === undefined ? message : undefined)
  return [_tag ?? name, operation, classOf(thrown) || classOf(cause), place].filter(isText).join(" ")
}

/**
 * The kind of a failure: its name, the store's operation, and where it was thrown. Messages count only when there is no
 * such place, since they may differ each time.
 */
export const kindOf = (cause: Cause.Cause<unknown>): string => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") return signOf(reason.error)
    if (reason._tag === "Die") return signOf(reason.defect)
  }
  return "interrupted"
}
