/**
 * Keys that are bound to a selector: what they ask of a daemon that does not match is answered as of an unknown one.
 * Owns this check before the actions that name a daemon, a target or a command in their path; the lists and the stream
 * of events select by themselves.
 */
import { Effect } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { matches } from "../../src/domain/daemon/selector.ts"
import { parseTarget } from "../../src/domain/daemon/targets.ts"
import { NotFound, type Overloaded, type StoreFailed } from "../../src/errors.ts"
import { taggedAgainMillis } from "../../src/limits/tags.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Sending } from "../pipeline/response.ts"

/** The parameters of paths by which a call names a daemon. */
export const daemonParameters = ["daemonId", "ideId", "commandId"] as const

type Params = Readonly<Partial<Record<(typeof daemonParameters)[number], string>>>

interface SelectedCall {
  readonly principal: Principal
  readonly params: Params | undefined
}

/** A stream that tells of one daemon. */
interface StreamOfDaemon {
  readonly principal: Principal
  readonly daemonId: string
}

/** What is open: a daemon has come back, or its tags have changed. */
interface Open {
  readonly back: () => void
  readonly tagged: () => void
}

/** What is open, by daemon. */
const makeOpen = Effect.gen(function* () {
  const bus = yield* Bus
  const open = new Map<string, Set<Open>>()
  const of = (daemonId: string): ReadonlyArray<Open> => [...(open.get(daemonId) ?? [])]
  const tagged = ({ daemonId }: { readonly daemonId: string }): void => {
    for (const one of of(daemonId)) one.tagged()
  }
  yield* bus.subscribe("daemon_tagged", tagged)
  yield* bus.subscribe("daemon_retagged", tagged)
  yield* bus.subscribe("event_happened", ({ event, payload }) => {
    if (event !== "daemon:connect" || open.size === 0) return
    for (const { back } of of((payload as { readonly daemonId: string }).daemonId)) back()
  })
  return (daemonId: string, one: Open): (() => void) => {
    const some = open.get(daemonId) ?? new Set()
    open.set(daemonId, some.add(one))
    return () => {
      some.delete(one)
      if (some.size === 0) open.delete(daemonId)
    }
  }
})

const forgetNothing = (): void => undefined

type Action = (call: never) => Effect.Effect<unknown, unknown>

/** Fails as for an unknown daemon where a credential is bound to others, by the tags that the daemon has now. */
const makeCheckSelected = Effect.map(
  Directory,
  (directory) =>
    ({ accountId, selector }: Principal, daemonId: string): Effect.Effect<void, NotFound | Overloaded | StoreFailed> =>
      selector === undefined
        ? Effect.void
        : Effect.flatMap(directory.snapshot(accountId, daemonId), (snapshot) =>
            matches(selector, snapshot) ? Effect.void : Effect.fail(new NotFound())
          )
)

/**
 * Makes what ends the stream of one daemon where its caller may not see that any more. It is judged when it begins,
 * since tags may have changed after its call was judged, and whenever the daemon comes back. A change of the daemon's
 * tags ends it: they may not have come to this node yet, and who comes back is judged. What it returns forgets it.
 */
export const makeEndUnlessSelected = Effect.gen(function* () {
  const checkSelected = yield* makeCheckSelected
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const watch = yield* makeOpen
  return ({ principal, daemonId }: StreamOfDaemon, end: () => void): (() => void) => {
    if (principal.selector === undefined) return forgetNothing
    const judge = (): void => void run(Effect.catchCause(checkSelected(principal, daemonId), () => Effect.sync(end)))
    const forget = watch(daemonId, { back: judge, tagged: end })
    judge()
    return forget
  }
})

/**
 * Makes what fails as for an unknown daemon once a caller who may see it may not any more, and never succeeds. A change
 * of tags may come to this node before the tags do: the caller is judged then, and once more.
 */
const makeLeftSelector = Effect.gen(function* () {
  const checkSelected = yield* makeCheckSelected
  const timers = yield* Timers
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const watch = yield* makeOpen
  return (principal: Principal, daemonId: string): Effect.Effect<never, NotFound> =>
    Effect.callback((resume) => {
      const left = (failure: NotFound) => Effect.sync(() => resume(Effect.fail(failure)))
      let isOver = false
      let isDue = false
      let isDueAgain = false
      const judge = (): void => {
        const judged = Effect.catchTag(checkSelected(principal, daemonId), "NotFound", left)
        // where it cannot be known now, it is asked again
        if (!isOver) run(Effect.catchCause(judged, () => Effect.sync(judgeLater)))
      }
      // one timer for each that waits, however often tags change: hundreds wait for one daemon
      const judgeLater = (): void => {
        isDueAgain = isDue
        if (isDue) return
        isDue = true
        timers.after(taggedAgainMillis, () => {
          isDue = false
          judge()
          if (isDueAgain && !isOver) judgeLater()
        })
      }
      const forget = watch(daemonId, {
        back: judge,
        tagged: () => {
          judge()
          judgeLater()
        }
      })
      return Effect.sync(() => {
        isOver = true
        forget()
      })
    })
})

/** Makes the wrapper of a group's actions. A caller whose credential is bound to nothing costs one comparison. */
export const makeSelected = Effect.gen(function* () {
  const checkSelected = yield* makeCheckSelected
  const leftSelector = yield* makeLeftSelector
  const stored = yield* StoredCommands

  const daemonOf = (
    { accountId }: Principal,
    { daemonId, ideId, commandId }: Params
  ): Effect.Effect<string | undefined, NotFound | StoreFailed> => {
    if (commandId !== undefined) return Effect.map(stored.find(accountId, commandId), (found) => found.daemonId)
    if (ideId === undefined) return Effect.succeed(daemonId)
    const target = parseTarget(ideId)
    return target === undefined ? Effect.fail(new NotFound()) : Effect.succeed(target.daemonId)
  }

  const check = Effect.fnUntraced(function* ({
    principal,
    params = {}
  }: SelectedCall): Effect.fn.Return<string | undefined, NotFound | Overloaded | StoreFailed> {
    const daemonId = yield* daemonOf(principal, params)
    if (daemonId !== undefined) yield* checkSelected(principal, daemonId)
    return daemonId
  })

  const selected = (action: Action) => (call: SelectedCall) => {
    if (call.principal.selector === undefined) return action(call as never)
    return Effect.flatMap(check(call), (daemonId) => {
      const called = action(call as never)
      if (daemonId === undefined) return called
      const left = leftSelector(call.principal, daemonId)
      return Effect.map(Effect.raceFirst(called, left), (value) =>
        // it may have left in between
        value instanceof Sending
          ? new Sending(value.command, Effect.raceFirst(left, Effect.andThen(check(call), value.answer)))
          : value
      )
    })
  }

  return <R extends { readonly [K in keyof R]: Action }>(routes: R): R =>
    Object.fromEntries(Object.entries<Action>(routes).map(([name, action]) => [name, selected(action)])) as never
})
