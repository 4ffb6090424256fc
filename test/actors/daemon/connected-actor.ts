/** Tests of one connected daemon, without a socket, on each kind of node. Owns the set-up; asserts nothing. */
import { Effect, type Fiber } from "effect"
import { Directory } from "../../../actors/commands/directory.ts"
import type { Command } from "../../../src/domain/command/command.ts"
import { connect, type Enrolled, type FakePeer, makeWorld, settle } from "../../support/daemon-services.ts"
import { type Body, effectOf, it } from "../../support/effect-test.ts"
import { askedElsewhere } from "../../support/one-of-two-nodes.ts"
import { type InWorld, inWorld } from "../../support/with-daemon-services.ts"

type World = ReturnType<typeof makeWorld>

/** What such a test has. */
export interface Live {
  readonly world: World
  readonly enrolled: Enrolled
  readonly peer: FakePeer
  /** Sends a command and gives its fiber. */
  readonly ask: (more?: Partial<Command>) => Effect.Effect<Fiber.Fiber<unknown, unknown>, never, Directory>
  /** Until what the daemon or its node said is with the caller: at once where both are on one node. */
  readonly told: Effect.Effect<void>
}

type LiveBody = Body<[live: Live], InWorld>

const connected = (world: World, body: LiveBody, told: Effect.Effect<void>) => {
  const enrolled = world.enrol()
  const ask = (more: Partial<Command> = {}) =>
    Effect.flatMap(Directory, (directory) =>
      Effect.tap(
        Effect.forkChild(directory.command({ ...enrolled, type: "read_chat", payload: {}, ...more }), {
          startImmediately: true
        }),
        () => told
      )
    )
  return Effect.flatMap(connect(enrolled.token), (peer) => effectOf(body)({ world, enrolled, peer, ask, told }))
}

/** A test with one daemon connected. */
export const live = (name: string, body: LiveBody, given?: World): void =>
  inWorld(name, (world) => connected(world, body, Effect.void), given)

/** The same, and again with a caller at another node. */
export const liveFromAnywhere = (name: string, body: LiveBody): void => {
  live(name, body)
  it.effect(`${name}, asked through another node`, () => {
    const world = makeWorld()
    return Effect.provide(connected(world, body, settle), askedElsewhere(world))
  })
}

/** How a fiber that failed with this error looks. */
export const failure = (error: string, more: object = {}) => ({
  _tag: "Failure",
  cause: { reasons: [{ _tag: "Fail", error: { _tag: error, ...more } }] }
})
/** The id of a command the daemon was sent. */
export const idOf = (peer: FakePeer, at = 0): string => peer.of("command")[at]?.["id"] as string
