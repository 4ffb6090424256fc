/**
 * The native part of uWebSockets.js: which file this machine loads, and that it is the very one that was published.
 * Owns the pinned checksums; imported before the library, so that what was exchanged on the disk is never loaded. A
 * new version of the library needs new rows: test/http/native/native-part.io.test.ts says so.
 */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** A platform's file: the package that has it, and its SHA-256. */
export interface NativePart {
  readonly package: string
  readonly sha256: string
}

/** The version of the library whose files these are. */
export const pinnedVersion = "20.51.4"

/** By platform, processor and the number of Node's binary interface: 127 is Node 22, 131 Node 23. */
export const nativeParts: Readonly<Record<string, NativePart>> = {
  "linux-x64-127": {
    package: "@uwsjs/linux-x64-22",
    sha256: "f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c"
  },
  "linux-x64-131": {
    package: "@uwsjs/linux-x64-23",
    sha256: "ed86f2297e70febcc89138818c2ca503dad29783bc4bba2aa7cc6d9beba70739"
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

/** What this process is, as the table names it. */
const thisPlatform = `${process.platform}-${process.arch}-${process.versions.modules}`

/** Where the file of a package is, for the library as it is installed. */
const fileOf = (name: string): string => {
  const library = createRequire(import.meta.url).resolve("uWebSockets.js")
  return join(dirname(createRequire(library).resolve(name)), "uws.node")
}

/** Throws, with a sentence, unless the file of this platform is the one that was pinned. */
export const checkNativePart = (platform = thisPlatform, find: (name: string) => string = fileOf): void => {
  const part = nativeParts[platform]
  if (part === undefined) {
    const known = Object.keys(nativeParts).join(", ")
    throw new NativePartRefused(`uWebSockets.js is not pinned for ${platform}; this version runs on ${known}`)
  }
  let file: string
  let bytes: Buffer
  try {
    file = find(part.package)
    bytes = readFileSync(file)
  } catch {
    throw new NativePartRefused(
      `${part.package}, the native part of uWebSockets.js, is not installed: run npm ci again`
    )
  }
  const found = hash("sha256", bytes, "hex")
  if (found === part.sha256) return
  throw new NativePartRefused(
    `${file} is not what was published: its SHA-256 is ${found}, pinned is ${part.sha256}. It was not loaded; find out who changed it, then run npm ci`
  )
}

checkNativePart()
