/**
 * The file descriptors of this process: how many it may have, and whether many are left. Owns both looks; what is done
 * about it is the server's.
 */
import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"

/** The report of Node on this process, as far as it is read; the types lack half of it. */
interface Report {
  excludeNetwork?: boolean
  readonly getReport: () => { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }
}

/**
 * How many this process may have: the soft limit (`ulimit -n`). Infinity where there is none, or the system does not
 * say.
 */
export const descriptorsMax = (): number => {
  const report = process.report as unknown as Report
  // the addresses of this machine would be looked up by name
  report.excludeNetwork = true
  const { userLimits } = report.getReport()
  const soft = userLimits?.open_files?.soft
  return typeof soft === "number" && soft > 0 ? soft : Number.POSITIVE_INFINITY
}

/** The lowest one that is free, which the system gives to the next file: all below it are in use, by whomever. */
export const lowestFree = (): number => {
  try {
    const descriptor = openSync(devNull, "r")
    closeSync(descriptor)
    return descriptor
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
