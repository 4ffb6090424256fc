/** What the process of a hub that runs says of itself to `hub doctor`. Owns which facts those are; judges none. */
import { descriptorsMax, lowestFree } from "../runtime/descriptors.ts"
import { proxiesSeen } from "../runtime/proxies-seen.ts"
import type { Answer } from "./operation.ts"

/** An infinity has no form in JSON. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** The facts; `null` for a number that the system does not say. */
export const describeProcess = (): Answer => ({
  pid: process.pid,
  descriptorsMax: finite(descriptorsMax()),
  descriptorsUsed: finite(lowestFree()),
  proxies: proxiesSeen.list()
})
