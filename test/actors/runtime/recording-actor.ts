/** Actors that log what they do, for tests of the actor runtime. Owns their behaviour; asserts nothing. */
import { Deferred, Effect } from "effect"
import type { Actor, ActorKind, Behaviour } from "../../../actors/runtime/actor.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"

/** What the actors are told. */
export type Message = string
/** What they do: the message itself. */
export type Action = string

/** What the actors did, and what the test does to them. */
export interface Seen {
  readonly log: Array<string>
  /** Children by name: each ends with the value or the defect that its test gives it. */
  readonly children: Map<string, Deferred.Deferred<Message>>
  /** What the test does in the middle of a turn. */
  during: (self: Actor<Message>) => void
}

/** Nothing was done yet. */
export const newSeen = (): Seen => ({ log: [], children: new Map(), during: () => {} })

/** A child that says how it ended. */
export const child = (seen: Seen, name: string): Effect.Effect<Message> => {
  const result = Deferred.makeUnsafe<Message>()
  seen.children.set(name, result)
  return Effect.onExit(Deferred.await(result), (exit) => Effect.sync(() => seen.log.push(`${name} ${exit._tag}`)))
}

/** Logs its messages. "crash" throws in decide, "throw" in perform, "fork …" starts a child, "during" runs the test. */
export const recorder = (
  seen: Seen,
  kind: ActorKind,
  more: Partial<Behaviour<number, Message, Action>> = {}
): Behaviour<number, Message, Action> => ({
  kind,
  mailboxMax: 3,
  decide: (state, message) => {
    if (message === "crash") throw new Error("decide crashed")
    return { state: state + 1, actions: [message] }
  },
  perform: (action, state, self) => {
    seen.log.push(`${action}#${state}`)
    if (action === "throw") throw new Error("perform crashed")
    if (action === "leave") self.leave()
    if (action === "during") seen.during(self)
    if (action.startsWith("fork ")) self.pipeToSelf(child(seen, action.slice(5)))
  },
  ended: (state, _self, unread) => {
    seen.log.push(`ended after ${state}, unread: ${unread.join(",")}`)
  },
  ...more
})

/** One actor of a kind. */
export const setUp = (kind: ActorKind) =>
  Effect.gen(function* () {
    const supervisor = yield* Supervisor
    const seen = newSeen()
    const actor = supervisor.spawn(recorder(seen, kind), "one", () => 0) as Actor<Message>
    const end = (name: string, result: Effect.Effect<Message>) =>
      Deferred.completeWith(seen.children.get(name)!, result)
    return { supervisor, seen, actor, end }
  })
