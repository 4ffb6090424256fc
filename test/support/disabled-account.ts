/**
 * An account of a world without sockets, disabled or enabled as an administrator does it. Owns the doing; asserts
 * nothing.
 */
import type { Bus } from "../../src/bus/bus.ts"
import type { MemoryStore } from "./memory-stores.ts"

/** In the store alone: nobody is told. */
export const setDisabled = ({ tables }: MemoryStore, accountId: string, disabled: boolean): void => {
  tables.accounts.get(accountId)!.disabled = disabled
}

/** What is told to all nodes. */
export const tellDisabled = (bus: Bus["Service"], accountId: string): void => {
  bus.publish("account_changed", { accountId })
  bus.publish("account_disabled", { accountId })
}
