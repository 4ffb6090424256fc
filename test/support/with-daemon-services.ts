/**
 * Tests of daemons in a world without sockets, each of a node that is the whole hub and of one of several. Owns the
 * set-up; asserts nothing.
 */
import { Effect, Exit, type Scope } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import type { Connections } from "../../actors/connections/connections.ts"
import type { PresenceWriter } from "../../actors/presence/presence-writer.ts"
import type { Roster } from "../../actors/presence/roster.ts"
import type { SnapshotWriter } from "../../actors/presence/snapshot-writer.ts"
import type { Supervisor } from "../../actors/runtime/supervisor.ts"
import type { Bus } from "../../src/bus/bus.ts"
import type { NodeCost } from "../../src/runtime/node-cost.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import { makeWorld } from "./daemon-services.ts"
import { type Body, effectOf, it } from "./effect-test.ts"
import { amongOthers, askedElsewhere } from "./one-of-two-nodes.ts"

type World = ReturnType<typeof makeWorld>

/** What such a test may use. */
export type InWorld =
  | Bus
  | Connections
  | Directory
  | NodeCost
  | PresenceWriter
  | Roster
  | SnapshotWriter
  | Supervisor
  | Timers
  | Scope.Scope

/**
 * A test in a world of its own, once for each kind of node; in a world that is given, of a node that is the whole hub.
 */
export const inWorld = (name: string, body: Body<[world: World], InWorld>, given?: World): void => {
  it.effect(name, () => {
    const world = given ?? makeWorld()
    return Effect.provide(effectOf(body)(world), world.layer)
  })
  if (given !== undefined) return
  it.effect(`${name}, on one node of several`, () => {
    const world = makeWorld()
    return Effect.provide(effectOf(body)(world), amongOthers(world))
  })
}

/** The same, and again with a caller who asks another node. */
export const inWorldFromAnywhere: typeof inWorld = (name, body) => {
  inWorld(name, body)
  it.effect(`${name}, asked through another node`, () => {
    const world = makeWorld()
    return Effect.provide(effectOf(body)(world), askedElsewhere(world))
  })
}

/** The name of what an exit failed with, or Success. */
export const tagOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" ? reason.error._tag : String(reason?._tag)
}

/** Sends a command and waits: how it ended. */
export const command = (accountId: string, daemonId: string) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    return tagOf(yield* Effect.exit(directory.command({ accountId, daemonId, type: "read_chat", payload: {} })))
  })
