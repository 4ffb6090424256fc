/**
 * What it costs to parse something foreign, and to hold it. Bytes alone say little: a MiB of plain text parses in
 * 1.5 ms, one of small objects with names of their own in 90. Owns the unit; has no budget.
 */
import { containerCost, digitCost, freeNames, nameCost, repairCost, valueCost } from "../../limits/cost.ts"
import type { JsonExtent } from "../text/json-extent.ts"

/**
 * The cost of a JSON text, in units of what a byte of plain text costs (some 1.5 ns, and a byte of memory): its bytes,
 * its values, what its objects and arrays take beside that, the names that no text before it is likely to have had in
 * this order (the engine has to make them, or a form of object), digits of long numbers, and its repair.
 */
export const costOf = (bytes: number, { values, names, containers, digits, repaired = 0 }: JsonExtent): number =>
  bytes +
  values * valueCost +
  containers * containerCost +
  Math.max(0, names - freeNames) * nameCost +
  digits * digitCost +
  repaired * repairCost
