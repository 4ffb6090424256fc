/** CPU that the stores beside a hub have used: Postgres with its connections' processes, and Redis. Owns the sums. */
import { readdir, readFile } from "node:fs/promises"

/** The processes of the stores that a bench started; undefined: there is none of it. */
export interface Stores {
  readonly postgres?: number
  readonly redis?: number
}

/** Seconds, or microseconds per operation, per store; not a number where there is none. */
export interface StoreCpu {
  readonly postgres: number
  readonly redis: number
}

const ticksPerSecond = 100

interface Process {
  readonly parent: number
  readonly seconds: number
}

/** One line of `/proc/PID/stat`: its parent, and its CPU with that of its children which have ended. */
const readProcess = async (pid: number): Promise<Process | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const ticks = fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0)
  return { parent: Number(fields[1]), seconds: ticks / ticksPerSecond }
}

/** Seconds of a process and of those that it started. */
const familySeconds = async (pid: number | undefined): Promise<number> => {
  const own = pid === undefined ? undefined : await readProcess(pid)
  if (own === undefined) return Number.NaN
  const pids = (await readdir("/proc")).map(Number).filter((one) => Number.isInteger(one) && one !== pid)
  const others = await Promise.all(pids.map(readProcess))
  return others.reduce(
    (sum, other) => sum + (other !== undefined && other.parent === pid ? other.seconds : 0),
    own.seconds
  )
}

/** What they have used so far, in seconds. */
export const storeSeconds = async ({ postgres, redis }: Stores): Promise<StoreCpu> => ({
  postgres: await familySeconds(postgres),
  redis: await familySeconds(redis)
})

/** What they used since, in microseconds per operation. */
export const storeMicros = (before: StoreCpu, after: StoreCpu, operations: number): StoreCpu => ({
  postgres: ((after.postgres - before.postgres) * 1e6) / operations,
  redis: ((after.redis - before.redis) * 1e6) / operations
})
