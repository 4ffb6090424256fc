/**
 * The native part of uWebSockets.js: which file this machine loads, and that it is the very one that was published.
 * Owns the pinned checksums and the loading. Two versions of the library stand side by side: the newer one knows Node
 * 24 and 26 and needs a newer C library; Node 22 keeps the older one. A new version needs new rows:
 * test/http/native/native-part.io.test.ts says so.
 */
import "./header-size.ts" // before the library, which reads it when it is loaded
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { majorOf, type Runtime, runtimeFault, systemFault, thisRuntime } from "../../src/runtime/node-support.ts"

/** A file: the library and the package that has it, their version, and its SHA-256. */
export interface NativePart {
  readonly library: string
  readonly version: string
  readonly package: string
  readonly sha256: string
}

/** By the major version of Node; all of them for linux-x64. */
export const nativeParts: Readonly<Record<number, NativePart>> = {
  22: {
    library: "uWebSockets.js",
    version: "20.51.4",
    package: "@uwsjs/linux-x64-22",
    sha256: "f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c"
  },
  24: {
    library: "uWebSockets.js-20.69",
    version: "20.69.0",
    package: "@uwsjs/linux-x64-24",
    sha256: "177efdc682425d754474bd30f9586c487fa6694f790f3406a23885d0e61c07a0"
  },
  26: {
    library: "uWebSockets.js-20.69",
    version: "20.69.0",
    package: "@uwsjs/linux-x64-26",
    sha256: "604375741bf77780b34e7e299af9274cb1f56d73732201d19e3d8d8448176795"
  }
}

/** It must not be loaded. */
class NativePartRefused extends Error {
  override readonly name = "NativePartRefused"
  readonly sentence: string

  constructor(sentence: string) {
    super(sentence)
    this.sentence = sentence
  }
}

/** Where the file is, as it is installed. */
const installedFile = (part: NativePart): string => {
  const library = createRequire(import.meta.url).resolve(part.library)
  return join(dirname(createRequire(library).resolve(part.package)), "uws.node")
}

/** Asked for where it may be the cause: to learn it takes 20 ms of a start (`./hub bench start`). */
const libraryFault = (): string | undefined => runtimeFault(thisRuntime())

/** The file to load. Throws, with a sentence, unless it is the one that was pinned for this runtime. */
export const checkedNativePart = (
  runtime: Omit<Runtime, "glibc"> = { platform: process.platform, arch: process.arch, node: process.versions.node },
  find: (part: NativePart) => string = installedFile
): string => {
  const fault = systemFault(runtime)
  const part = nativeParts[majorOf(runtime)]
  if (fault !== undefined || part === undefined) throw new NativePartRefused(fault ?? "nothing is pinned for this Node")
  let file: string
  let bytes: Buffer
  try {
    file = find(part)
    bytes = readFileSync(file)
  } catch {
    throw new NativePartRefused(
      libraryFault() ?? `${part.package}, the native part of uWebSockets.js, is not installed: run npm ci again`
    )
  }
  const found = hash("sha256", bytes, "hex")
  if (found === part.sha256) return file
  throw new NativePartRefused(
    `${file} is not what was published: its SHA-256 is ${found}, pinned is ${part.sha256}. It was not loaded; find out who changed it, then run npm ci`
  )
}

/** The operator's own build, of which no checksum is known, or the pinned one. */
const load = (): typeof import("uWebSockets.js") => {
  const own = process.env["HUB_UWS_BINARY"] ?? ""
  const file = own === "" ? checkedNativePart() : own
  try {
    return createRequire(import.meta.url)(file)
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split("\n")
    const whose = own === "" ? "" : ` (HUB_UWS_BINARY is ${own})`
    throw new NativePartRefused(
      (own === "" ? libraryFault() : undefined) ?? `the native part of the server was not loaded: ${reason}${whose}`
    )
  }
}

/** The library: its native part alone, without the helpers in JavaScript around it. */
export const uWS = load()
