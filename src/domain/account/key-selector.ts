/** To which daemons an API key may be bound. Owns that a key of the whole account is bound to none; makes no key. */
import { Result } from "effect"
import { ValidationFailed } from "../../errors.ts"
import { bothOf, boundText, readSelector, type Selector } from "../daemon/selector.ts"
import type { Scope } from "./scopes.ts"

/** The scopes of what belongs to the account and to no daemon. */
const accountScopes: ReadonlyArray<Scope> = ["webhook:manage", "registry:publish"]

/**
 * The one way to write the selector that a key is bound to; null: none. An empty one binds to nothing. `within`: of
 * who gives it, which it narrows.
 */
export const readKeySelector = (
  given: string | undefined,
  scopes: ReadonlyArray<Scope>,
  within?: Selector
): Result.Result<string | null, ValidationFailed> => {
  const read = readSelector(given ?? "")
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const selector = boundText(bothOf(within, read.success) ?? [])
  if (selector !== null && within !== undefined) {
    const whole = readSelector(selector)
    if (Result.isFailure(whole)) return Result.fail(whole.failure)
  }
  const wide = selector === null ? undefined : scopes.find((scope) => accountScopes.includes(scope))
  if (wide === undefined) return Result.succeed(selector)
  const message = `a key with ${wide}, which is of the whole account, is bound to no daemons`
  return Result.fail(new ValidationFailed({ issues: [{ path: "selector", message }] }))
}
