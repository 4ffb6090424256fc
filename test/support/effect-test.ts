/**
 * Tests of effects under virtual time, as `it` of @effect/vitest gives them. Owns two things more: the body of a test
 * may be the generator itself, and tests may be given services.
 */
import { it as effectIt } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import type { TestContext, TestOptions } from "vitest"

type Steps<Args extends ReadonlyArray<unknown>, R> = (
  ...args: Args
) => Generator<Effect.Effect<unknown, unknown, R>, unknown, never>
type AnEffect<Args extends ReadonlyArray<unknown>, R> = (...args: Args) => Effect.Effect<unknown, unknown, R>

/** What a test does with what it is given: an effect, or the steps of one. */
export type Body<Args extends ReadonlyArray<unknown>, R = never> = Steps<Args, R> | AnEffect<Args, R>

const isSteps = <Args extends ReadonlyArray<unknown>, R>(body: Body<Args, R>): body is Steps<Args, R> =>
  body.constructor.name === "GeneratorFunction"

/** The effect of either. */
export const effectOf = <Args extends ReadonlyArray<unknown>, R>(body: Body<Args, R>): AnEffect<Args, R> =>
  isSteps(body) ? (...args) => Effect.gen(() => body(...args)) : body

const effect = (name: string, body: Body<[TestContext], Scope.Scope>, options?: number | TestOptions): void =>
  effectIt.effect(name, effectOf(body), options)

/** The same `it`, whose `effect` takes either. */
export const it = new Proxy(effectIt, {
  get: (target, key) => (key === "effect" ? tester : Reflect.get(target, key))
}) as Omit<typeof effectIt, "effect"> & typeof effectIt & { readonly effect: typeof tester }

const tester = Object.assign(effect, { each: effectIt.effect.each, skipIf: effectIt.effect.skipIf })

/** `it.effect` of a body that has these services, each test its own. */
export const itWith =
  <R>(services: Layer.Layer<R>) =>
  (name: string, body: Body<[TestContext], R | Scope.Scope>): void =>
    it.effect(name, (context) => Effect.provide(effectOf(body)(context), services))
