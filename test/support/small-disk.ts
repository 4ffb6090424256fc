/**
 * A small disk in memory that a test can fill. Owns its mounting, which only root may; elsewhere than in CI tests go
 * without.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { testFolder } from "./folder.ts"

const isRoot = process.getuid?.() === 0

/** True where the tests of a full disk are left out: on a developer's machine, for who is not root there. */
export const diskMissing = process.platform !== "linux" || !(isRoot || process.env["CI"] === "true")
if (diskMissing) process.stderr.write("the tests of full disks are left out: only root may mount one\n")

const asRoot = (...words: ReadonlyArray<string>): void => {
  const [command, ...rest] = isRoot ? words : ["sudo", "-n", ...words]
  execFileSync(command!, rest)
}

/** A disk. */
export interface SmallDisk {
  readonly path: string
  /** Changes how it is mounted, such as `size=50m` or `ro`. */
  readonly remount: (options: string) => void
  /** Leaves no byte free. */
  readonly fill: () => void
  /** Takes away what `fill` put there. */
  readonly free: () => void
  readonly unmount: () => void
}

/** Mounts a disk of this many megabytes. */
export const smallDisk = (megabytes: number): SmallDisk => {
  const path = join(testFolder("disk"), "disk")
  mkdirSync(path)
  asRoot("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "hub-test", path)
  const filler = join(path, "filler")
  return {
    path,
    remount: (options) => asRoot("mount", "-o", `remount,${options}`, path),
    fill: () => {
      const { bavail, bsize } = statfsSync(path)
      writeFileSync(filler, Buffer.alloc(bavail * bsize))
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => asRoot("umount", path)
  }
}
