/**
 * An account of a world without sockets, disabled or enabled as an administrator does it. Owns the doing; asserts
 * nothing.
 */
import type { Bus } from "../../src/bus/bus.ts"
import type { FakeStore } from "./memory-daemons.ts"

/** In the store alone: nobody is told. */
export const setDisabled = ({ owners }: FakeStore, accountId: string, accountDisabled: boolean): void => {
  for (const [hash, owner] of owners) {
    if (owner.accountId === accountId) owners.set(hash, { ...owner, accountDisabled })
  }
}

/** What is told to all nodes. */
export const tellDisabled = (bus: Bus["Service"], accountId: string): void => {
  bus.publish("account_changed", { accountId })
  bus.publish("account_disabled", { accountId })
}
