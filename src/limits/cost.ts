/**
 * What parsing costs, and how much of it one account may cause on a node. The unit is src/domain/limits/cost.ts's: what
 * a byte of plain text costs, some 1.5 ns.
 */

/** A value, or the name of a member. */
export const valueCost = 24
/** A name that is new in its text, beside that. */
export const nameCost = 320
/** So many names of a text are likely to be known from others, and are not new. */
export const freeNames = 64

/** Cost of what one account's daemons send that a node parses in a second; more: docs/daemon-protocol.md, P117. */
export const accountCostPerSecond = 8_388_608
/** What each of its connected daemons adds to that. */
export const accountCostPerSecondPerDaemon = 32_768
/** With which it is no more than this. */
export const accountCostPerSecondMax = 67_108_864
/** So many seconds' worth may come at once after a quiet time. */
export const accountCostBurstSeconds = 4
/** Of the burst, what reports leave to frames that cannot wait. */
export const reportCostReserve = 1 / 4
/** Likewise what logs leave, which are read again as pages. */
export const logCostReserve = 1 / 2
/** A result that costs more is parsed only while its account can afford it, else: `RESULT_NOT_READ`. */
export const heavyResultCost = 524_288
