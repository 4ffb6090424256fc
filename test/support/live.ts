/**
 * Tests of one connected daemon in a world of its own, without a socket. Owns the set-up; asserts nothing.
 */
import { it } from "@effect/vitest"
import { Effect, type Fiber } from "effect"
import type { Connections } from "../../actors/connection.ts"
import { type Command, Directory } from "../../actors/directory.ts"
import type { Supervisor } from "../../actors/supervisor.ts"
import type { Wheel } from "../../actors/wheel.ts"
import { connect, type Enrolled, type FakePeer, makeWorld } from "./world.ts"

/** What such a test has. */
export interface Live {
  readonly world: ReturnType<typeof makeWorld>
  readonly enrolled: Enrolled
  readonly peer: FakePeer
  /** Sends a command and gives its fiber. */
  readonly ask: (more?: Partial<Command>) => Effect.Effect<Fiber.Fiber<unknown, unknown>, never, Directory>
}

/** A test with one daemon connected. */
export const live = (
  name: string,
  body: (live: Live) => Effect.Effect<void, unknown, Connections | Directory | Supervisor | Wheel>,
  world = makeWorld()
): void => {
  it.effect(name, () => {
    const enrolled = world.enrol()
    const ask = (more: Partial<Command> = {}) =>
      Effect.flatMap(Directory, (directory) =>
        Effect.forkChild(directory.command({ ...enrolled, type: "read_chat", payload: {}, ...more }), {
          startImmediately: true
        })
      )
    return Effect.flatMap(connect(enrolled.token), (peer) => body({ world, enrolled, peer, ask })).pipe(
      Effect.provide(world.layer)
    )
  })
}

/** How a fiber that failed with this error looks. */
export const failure = (error: string, more: object = {}) => ({
  _tag: "Failure",
  cause: { reasons: [{ _tag: "Fail", error: { _tag: error, ...more } }] }
})
/** The id of a command the daemon was sent. */
export const idOf = (peer: FakePeer, at = 0): string => peer.of("command")[at]?.["id"] as string
