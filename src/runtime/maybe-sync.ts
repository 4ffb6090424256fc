/**
 * A value that is usually at hand, and otherwise an effect. For the guard only, which every request passes: its four
 * steps as effects in a fiber cost 0.5 µs, 3 % of GET /daemons (`hub bench rest`).
 */
import { Effect } from "effect"

/** A value, or an effect where something is awaited or has failed. */
export type MaybeSync<A, E = never> = A | Effect.Effect<A, E>

/** The same as an effect. */
export const toEffect = <A, E>(value: MaybeSync<A, E>): Effect.Effect<A, E> =>
  Effect.isEffect(value) ? value : Effect.succeed(value)

/** Continues with what depends on a value: in this tick when the value is at hand. */
export const flatMap = <A, E, B, F = never>(
  value: MaybeSync<A, E>,
  next: (value: A) => MaybeSync<B, F>
): MaybeSync<B, E | F> =>
  Effect.isEffect(value) ? Effect.flatMap(value, (given) => toEffect(next(given))) : next(value)

/** Continues with the value or with the failure. */
export const match = <A, E, B>(
  value: MaybeSync<A, E>,
  onSuccess: (value: A) => MaybeSync<B>,
  onFailure: (failure: E) => MaybeSync<B>
): MaybeSync<B> =>
  Effect.isEffect(value)
    ? Effect.matchEffect(value, {
        onSuccess: (given) => toEffect(onSuccess(given)),
        onFailure: (failure) => toEffect(onFailure(failure))
      })
    : onSuccess(value)
