/** What Linux says of a process: its children, its threads, what it has open, its memory. Owns nothing. */
import { readdirSync, readFileSync } from "node:fs"

/** The ids of the processes that it started and that run. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

/** How many threads it has. */
export const threadsOf = (pid: number): number => readdirSync(`/proc/${pid}/task`).length

/** How many descriptors it has open. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Its resident memory in megabytes. */
export const residentMegabytes = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024)
