/**
 * Tests of effects under virtual time, as `it` of @effect/vitest gives them. Owns one thing more: the body of a test
 * may be the generator itself.
 */
import { it as effectIt } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { TestContext, TestOptions } from "vitest"

type Steps = (context: TestContext) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>
type AnEffect = (context: TestContext) => Effect.Effect<unknown, unknown, Scope.Scope>

const isSteps = (body: Steps | AnEffect): body is Steps => body.constructor.name === "GeneratorFunction"

const effect = (name: string, body: Steps | AnEffect, options?: number | TestOptions): void =>
  effectIt.effect(name, isSteps(body) ? (context) => Effect.gen(() => body(context)) : body, options)

/** The same `it`, whose `effect` takes either. */
export const it = new Proxy(effectIt, {
  get: (target, key) => (key === "effect" ? tester : Reflect.get(target, key))
}) as Omit<typeof effectIt, "effect"> & typeof effectIt & { readonly effect: typeof tester }

const tester = Object.assign(effect, { each: effectIt.effect.each, skipIf: effectIt.effect.skipIf })
