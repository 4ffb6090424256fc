/** What accounts hold, for tests over scripted stores: without any bound unless told one. Owns nothing. */
import { Effect, Layer } from "effect"
import { AccountVolume, type VolumeBudget, VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import type { Bound } from "../../src/domain/account/volume.ts"

/** A budget that holds every account to this bound. */
export const heldTo = (bound: Bound | undefined): VolumeBudget => {
  const accounts = new Map<string, AccountVolume>()
  const of = (accountId: string): AccountVolume => {
    const account = accounts.get(accountId) ?? new AccountVolume(accountId)
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
