/**
 * What a node must have done before its first request, but that the making of its services need not wait for: it is
 * done meanwhile, one thing after another (`./hub bench start`). Owns the order; knows no work.
 */
import { Context, Effect, Fiber, type Scope } from "effect"

/** The work of one start. */
export interface StartWork {
  /** Has it done behind what was added before, of which none may fail. */
  readonly add: (work: Effect.Effect<unknown, unknown>) => Effect.Effect<void>
  /** Ends when all of it is done; fails as the first that failed. */
  readonly done: Effect.Effect<unknown, unknown>
}

/** Undefined where no node starts: what is asked for is done at once then. */
export const StartWork = Context.Reference<StartWork | undefined>("hub/StartWork", { defaultValue: () => undefined })

/** Work that ends with the scope. */
export const makeStartWork: Effect.Effect<StartWork, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => {
  let done: Effect.Effect<unknown, unknown> = Effect.void
  return {
    add: (work) =>
      Effect.suspend(() =>
        Effect.map(Effect.forkIn(Effect.andThen(done, work), scope, { startImmediately: true }), (fiber) => {
          done = Fiber.join(fiber)
        })
      ),
    done: Effect.suspend(() => done)
  }
})

/** Has this done before the node's first request, in the order of the calls; at once where no node starts. */
export const atStart = <E, R>(work: Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(StartWork, (start) =>
    start === undefined
      ? Effect.asVoid(work)
      : Effect.flatMap(Effect.context<R>(), (context) => start.add(Effect.provideContext(work, context)))
  )
