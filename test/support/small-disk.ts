/** A small disk of a test's own, in a folder that is gone with its file. Owns nothing else. */
import { memoryDisk, type SmallDisk } from "./memory-disk.ts"
import { testFolder } from "./temporary-folder.ts"

/** Mounts a disk of this many megabytes. */
export const smallDisk = (megabytes: number): SmallDisk => memoryDisk(testFolder("disk"), megabytes)
