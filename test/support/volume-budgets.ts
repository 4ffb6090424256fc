/** What accounts hold, for tests over scripted stores: without any bound unless told one. Owns nothing. */
import { Effect, Layer } from "effect"
import { Account, type Held, VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import type { Bound } from "../../src/domain/account/volume.ts"

const heldTo = (bound: Bound | undefined): Held => {
  const accounts = new Map<string, Account>()
  const of = (accountId: string): Account => {
    const account = accounts.get(accountId) ?? new Account(accountId)
    accounts.set(accountId, account)
    return account
  }
  return {
    of,
    beyond: (account, volume, part) => (bound === undefined ? undefined : account.beyond(bound, volume, part)),
    besides: () => true,
    known: (accountId) => of(accountId).total,
    seen: (accountId) => Effect.sync(() => of(accountId).total)
  }
}

/** VolumeBudgets that are counted nowhere; every account is held to these bounds. */
export const scriptedBudgets = (
  bounds: { readonly pending?: Bound; readonly outcomes?: Bound; readonly commands?: Bound } = {}
): Layer.Layer<VolumeBudgets> =>
  Layer.sync(VolumeBudgets, () => ({
    pending: heldTo(bounds.pending),
    outcomes: heldTo(bounds.outcomes),
    commands: heldTo(bounds.commands)
  }))
