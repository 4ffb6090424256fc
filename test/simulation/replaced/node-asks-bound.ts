/**
 * The bounds of several nodes with fewer questions under way to others: a world asks too few to come near the product's
 * own. Owns the number; module-hooks.ts puts it in the place of these bounds.
 */
export * from "../../../src/limits/nodes.ts"

/** Commands and orders under way to other nodes; more: 503. */
export const nodeAsksMax = 48
