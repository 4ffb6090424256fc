/**
 * The schema from which this version goes on: it stands for the steps 1 to 27, which a database of an earlier revision
 * has taken one by one. Owns the order of its subjects (base/): accounts come first, as others refer to them.
 */
import { accounts } from "./base/accounts.ts"
import { daemons } from "./base/daemons.ts"
import { nodes } from "./base/nodes.ts"
import { packages } from "./base/packages.ts"
import { records } from "./base/records.ts"
import { webhooks } from "./base/webhooks.ts"

/** Its statements, in order. */
export const statements: ReadonlyArray<string> = [
  ...accounts,
  ...records,
  ...daemons,
  ...webhooks,
  ...packages,
  ...nodes
]
