/** Tests of the directory in a world without sockets. Owns the set-up; asserts nothing. */
import { it } from "@effect/vitest"
import { Effect, Exit, type Scope } from "effect"
import type { Connections } from "../../actors/connection.ts"
import { Directory } from "../../actors/directory.ts"
import type { Pictures } from "../../actors/pictures.ts"
import { makeWorld } from "./world.ts"

type World = ReturnType<typeof makeWorld>

/** A test in a world. */
export const inWorld = (
  name: string,
  body: (world: World) => Effect.Effect<void, unknown, Connections | Directory | Pictures | Scope.Scope>,
  world: World = makeWorld()
): void => {
  it.effect(name, () => Effect.provide(body(world), world.layer))
}

/** The name of what an exit failed with, or Success. */
export const tagOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" ? reason.error._tag : String(reason?._tag)
}

/** Sends a command and waits: how it ended. */
export const command = Effect.fnUntraced(function* (accountId: string, daemonId: string) {
  const directory = yield* Directory
  return tagOf(yield* Effect.exit(directory.command({ accountId, daemonId, type: "read_chat", payload: {} })))
})
