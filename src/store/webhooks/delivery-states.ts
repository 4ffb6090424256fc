/**
 * The states of deliveries as the table stores them. Owns the numbers and the conditions on them. Partial indexes have
 * the first two conditions, so statements contain them as text and not as parameters.
 */
import type { DeliveryState } from "../../domain/webhook/delivery.ts"

/** The number of each state. */
export const stateCodes = { pending: 0, succeeded: 1, failed: 2, expired: 3, cancelled: 4 } as const satisfies Record<
  DeliveryState,
  number
>

/** The condition that a row is pending. Where there are several rows, put a name and a dot before it. */
export const pending = `state = ${stateCodes.pending}`
/** The condition that a row is not pending. */
export const finished = `state <> ${stateCodes.pending}`
/** The condition that the last attempt ended it. */
export const attempted = `state in (${stateCodes.succeeded}, ${stateCodes.failed})`

/** The name of the state of a row. */
export const stateName = (row: string): string =>
  `case ${row}.state ${Object.entries(stateCodes)
    .map(([name, code]) => `when ${code} then '${name}'`)
    .join(" ")} end`
