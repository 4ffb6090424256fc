/**
 * The file descriptors of this process: how many it may have and has, and the lowest free one. Owns these readings; the
 * server acts on them.
 */
import { closeSync, openSync, readdirSync, readFileSync, statSync } from "node:fs"
import { devNull } from "node:os"
import { processReport } from "./process-report.ts"

/** As Linux tells it: Node's report takes 20 ms of a start (`./hub bench start`). Undefined elsewhere. */
const limitOfLinux = (): number | undefined => {
  try {
    const soft = /^Max open files +(\d+|unlimited)/mu.exec(readFileSync("/proc/self/limits", "latin1"))?.[1]
    return soft === undefined ? undefined : Number(soft) || Number.POSITIVE_INFINITY
  } catch {
    return undefined
  }
}

/** The soft limit of this process (`ulimit -n`). Infinity when there is none or the system does not say. */
export const descriptorsMax = (): number => {
  const soft = limitOfLinux() ?? processReport().userLimits?.open_files?.soft
  return typeof soft === "number" && soft > 0 ? soft : Number.POSITIVE_INFINITY
}

/** The lowest free descriptor, which the next file gets: all below it are in use. */
export const lowestFree = (): number => {
  try {
    const descriptor = openSync(devNull, "r")
    closeSync(descriptor)
    return descriptor
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const ownDescriptors = "/proc/self/fd"

/** How many are in use; undefined where the system does not say. Newer kernels tell it without listing them. */
export const descriptorsOpen = (): number | undefined => {
  try {
    return statSync(ownDescriptors).size || readdirSync(ownDescriptors).length
  } catch {
    return undefined
  }
}
