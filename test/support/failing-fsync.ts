/**
 * Programs whose `fsync` and `fdatasync` fail now and then, by libfiu (`fiu-run`). Owns the folder of the libraries
 * that are loaded for it.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { has } from "./machine.ts"

const libraries = "/usr/lib/fiu"
const preloads = ["fiu_run_preload.so", "fiu_posix_preload.so"] as const

/** True where `fsync` cannot be made to fail. */
export const fiuMissing = !has.fiu

/** EIO. */
const ioError = 5

const dynamicSegment = 2
const flagsTag = 30n
const symbolicFlag = 2n

/**
 * A library that looks for its own functions in itself first: Postgres has a `hash_create` too, and libfiu would call
 * that one. Sets DF_SYMBOLIC in the flags that the library has.
 */
const selfContained = (library: Buffer): Buffer => {
  const [headers, size, count] = [
    Number(library.readBigUInt64LE(32)),
    library.readUInt16LE(54),
    library.readUInt16LE(56)
  ]
  for (let header = headers; header < headers + size * count; header += size) {
    if (library.readUInt32LE(header) !== dynamicSegment) continue
    const from = Number(library.readBigUInt64LE(header + 8))
    for (let at = from; library.readBigInt64LE(at) !== 0n; at += 16) {
      if (library.readBigInt64LE(at) !== flagsTag) continue
      library.writeBigUInt64LE(library.readBigUInt64LE(at + 8) | symbolicFlag, at + 8)
      return library
    }
  }
  throw new Error("the library of libfiu has no flags to set")
}

/**
 * The words of a command that runs a program in which so many of a hundred such calls fail, its children's too. The
 * folder is one that any user may read. libfiu's pipes, which could change that while it runs, are not used: each has a
 * thread, and a signal that Postgres gets may then be handled, and forked in, on that.
 */
export const failingFsync = (folder: string, percent: number): ReadonlyArray<string> => {
  const own = join(folder, "fiu")
  mkdirSync(own, { mode: 0o755 })
  copyFileSync(join(libraries, preloads[0]), join(own, preloads[0]))
  writeFileSync(join(own, preloads[1]), selfContained(readFileSync(join(libraries, preloads[1]))), { mode: 0o644 })
  const failing = `enable_random name=posix/io/sync/*,probability=${percent / 100},failinfo=${ioError}`
  return ["fiu-run", "-x", "-l", own, "-f", "", "-c", failing]
}
