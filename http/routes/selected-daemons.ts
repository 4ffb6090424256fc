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

/** The parameters of paths by which a call names a daemon. */
export const daemonParameters = ["daemonId", "ideId", "commandId"] as const

type Params = Readonly<Partial<Record<(typeof daemonParameters)[number], string>>>

interface SelectedCall {
  readonly principal: Principal
  readonly params: Params | undefined
  readonly query?: { readonly waitFor?: unknown } | undefined
}

/** A stream that tells of one daemon. */
interface StreamOfDaemon {
  readonly principal: Principal
  readonly daemonId: string
}

/** A stream that is open: judges its caller anew, or ends it. */
interface OpenStream {
  readonly judge: () => void
  readonly end: () => void
}

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
  const bus = yield* Bus
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const open = new Map<string, Set<OpenStream>>()
  const streamsOf = (daemonId: string): ReadonlyArray<OpenStream> => [...(open.get(daemonId) ?? [])]
  const endAll = ({ daemonId }: { readonly daemonId: string }): void => {
    for (const { end } of streamsOf(daemonId)) end()
  }
  yield* bus.subscribe("daemon_tagged", endAll)
  yield* bus.subscribe("daemon_retagged", endAll)
  yield* bus.subscribe("event_happened", ({ event, payload }) => {
    if (event !== "daemon:connect" || open.size === 0) return
    for (const { judge } of streamsOf((payload as { readonly daemonId: string }).daemonId)) judge()
  })
  return ({ principal, daemonId }: StreamOfDaemon, end: () => void): (() => void) => {
    if (principal.selector === undefined) return forgetNothing
    const judge = (): void => void run(Effect.catchCause(checkSelected(principal, daemonId), () => Effect.sync(end)))
    const one: OpenStream = { judge, end }
    const some = open.get(daemonId) ?? new Set()
    open.set(daemonId, some.add(one))
    judge()
    return () => {
      some.delete(one)
      if (some.size === 0) open.delete(daemonId)
    }
  }
})

/** Makes the wrapper of a group's actions. A caller whose credential is bound to nothing costs one comparison. */
export const makeSelected = Effect.gen(function* () {
  const checkSelected = yield* makeCheckSelected
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
  }: SelectedCall): Effect.fn.Return<void, NotFound | Overloaded | StoreFailed> {
    const daemonId = yield* daemonOf(principal, params)
    if (daemonId !== undefined) yield* checkSelected(principal, daemonId)
  })

  const selected = (action: Action) => (call: SelectedCall) => {
    if (call.principal.selector === undefined) return action(call as never)
    const checked = Effect.andThen(
      check(call),
      Effect.suspend(() => action(call as never))
    )
    // tags may have changed while it waited
    return call.query?.waitFor === undefined ? checked : Effect.tap(checked, () => check(call))
  }

  return <R extends { readonly [K in keyof R]: Action }>(routes: R): R =>
    Object.fromEntries(Object.entries<Action>(routes).map(([name, action]) => [name, selected(action)])) as never
})
