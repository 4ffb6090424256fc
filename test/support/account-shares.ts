/** Shares of accounts on a node of their own, for tests of what one account may do. */
import { newShare } from "../../actors/daemon/account-share.ts"
import { makeNodeCost } from "../../src/runtime/node-cost.ts"

/** One whose node stands still in time. */
export const shareAlone = () =>
  newShare(
    "acc_1",
    makeNodeCost(() => 0),
    { weight: 0, daemons: 0 }
  )
