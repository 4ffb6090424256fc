/**
 * How busy and full this machine is, for the reports of its daemon. Owns the reading, in steps of a twentieth: a report
 * that says nothing new costs the hub next to nothing.
 */
import { statfs } from "node:fs"
import { availableParallelism, freemem, loadavg, platform, totalmem } from "node:os"

/** Shares, of which 1 is all; the load may be more. */
export interface MachineHealth {
  readonly cpu?: number
  readonly memory: number
  readonly disk?: number
}

const stepped = (share: number): number => Math.round(share * 20) / 20
const cpuMax = 1_000

/** Reads it; the disk's is that of the time before, since a disk may take long to answer. */
export const makeMachineHealth = (folder: string): (() => MachineHealth) => {
  let disk: number | undefined
  let asking = false
  const askDisk = (): void => {
    if (asking) return
    asking = true
    statfs(folder, (error, stats) => {
      asking = false
      disk = error === null && stats.blocks > 0 ? stepped(1 - stats.bavail / stats.blocks) : undefined
    })
  }
  askDisk()
  return () => {
    askDisk()
    // Windows knows no load
    const cpu = platform() === "win32" ? undefined : stepped(loadavg()[0]! / availableParallelism())
    return {
      ...(cpu !== undefined && { cpu: Math.min(cpuMax, cpu) }),
      memory: stepped(1 - freemem() / totalmem()),
      ...(disk !== undefined && { disk })
    }
  }
}
