/**
 * A small disk in memory that can be filled. Owns its mounting, which only root may.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { has } from "./machine.ts"

const isRoot = process.getuid?.() === 0

/** True where the tests of a full disk are left out: only root may mount one. */
export const diskMissing = !has.smallDisk

const asRoot = (...words: ReadonlyArray<string>): void => {
  const [command, ...rest] = isRoot ? words : ["sudo", "-n", ...words]
  execFileSync(command!, rest)
}

/** A disk. */
export interface SmallDisk {
  readonly path: string
  /** Changes how it is mounted, such as `size=50m` or `ro`. */
  readonly remount: (options: string) => void
  /** Leaves no byte free, of what was freed since the last time either. */
  readonly fill: () => void
  /** Takes away what `fill` put there. */
  readonly free: () => void
  readonly unmount: () => void
}

const fillers = "filler"

/** Mounts a disk of this many megabytes in a folder. */
export const memoryDisk = (folder: string, megabytes: number): SmallDisk => {
  const path = join(folder, "disk")
  mkdirSync(path)
  let fills = 0
  asRoot("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "hub-test", path)
  // whoever has it open may be ending, too
  const orphaned = (): void => asRoot("umount", "--lazy", path)
  process.once("exit", orphaned)
  return {
    path,
    remount: (options) => asRoot("mount", "-o", `remount,${options}`, path),
    fill: () => {
      const { bavail, bsize } = statfsSync(path)
      try {
        if (bavail > 0) writeFileSync(join(path, `${fillers}${fills++}`), Buffer.alloc(bavail * bsize))
      } catch (error) {
        // somebody else wrote there meanwhile: then it is full as well
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
      }
    },
    free: () => {
      for (const name of readdirSync(path)) if (name.startsWith(fillers)) rmSync(join(path, name))
    },
    unmount: () => {
      asRoot("umount", path)
      process.off("exit", orphaned)
    }
  }
}
