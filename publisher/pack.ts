/**
 * From a folder or a file to the bytes of a package. Owns the packing, which gives equal bytes for equal content
 * (sorted names, no times, no owners, of modes only whether it may be executed), so that publishing twice is recognised
 * by its digest; sends nothing.
 */
import { lstat, readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { Pack } from "tar"
import { descriptionName, packageFiles, refuseSecret } from "./package-files.ts"
import { PackRefused } from "./refusal.ts"

/** The hub takes no larger artifact; nothing larger is held here either. */
const artifactBytesMax = 10_485_760
/** A package ready to be published. */
export interface Packed {
  /** What `provider.json` says, or nothing for a single file. */
  readonly description: Readonly<Record<string, unknown>>
  readonly artifact: Uint8Array
  /** The paths of its files in it. */
  readonly files: ReadonlyArray<string>
}

const readDescription = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, "utf8"))
  } catch (cause) {
    throw new PackRefused(`${path} is missing or is not JSON`, { cause })
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new PackRefused(`${path} must hold one JSON object`)
  }
  return value as Readonly<Record<string, unknown>>
}

/** Remembers nothing: two names of one file are two files of the package, however the disk holds them. */
class NoLinks extends Map<`${number}:${number}`, string> {
  override set(): this {
    return this
  }
}

const tooLarge = (path: string): PackRefused =>
  new PackRefused(`${path} makes more than ${artifactBytesMax} bytes, which no hub takes`)

const packFolder = async (folder: string, allowed: ReadonlySet<string>): Promise<Packed> => {
  const description = await readDescription(join(folder, descriptionName))
  const files = await packageFiles(folder, allowed)
  const stream = new Pack({
    cwd: folder,
    gzip: { level: 9 },
    portable: true,
    mtime: new Date(0),
    noDirRecurse: true,
    linkCache: new NoLinks(),
    onWriteEntry: (entry) => {
      if (entry.stat !== undefined) entry.stat.mode = (entry.stat.mode & 0o100) === 0 ? 0o644 : 0o755
    }
  })
  for (const file of files) stream.add(file)
  stream.end()
  const pieces: Array<Uint8Array> = []
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.byteLength
    if (bytes > artifactBytesMax) throw tooLarge(folder)
    pieces.push(piece)
  }
  return { description, artifact: Buffer.concat(pieces), files }
}

const packFile = async (path: string, size: number, allowed: ReadonlySet<string>): Promise<Packed> => {
  if (size > artifactBytesMax) throw tooLarge(path)
  if (size === 0) throw new PackRefused(`${path} is empty`)
  const name = basename(path)
  await refuseSecret(path, name, allowed)
  const description = name === descriptionName ? await readDescription(path) : {}
  return { description, artifact: await readFile(path), files: [name] }
}

/** What the file system said, for the publisher; anything else is a fault of this program. */
const refusal = (error: unknown): unknown =>
  error instanceof Error && "syscall" in error ? new PackRefused(error.message, { cause: error }) : error

/**
 * Packs a folder with a `provider.json` as a gzipped tar, or takes a single file as it is. `allowed`: files that may go
 * in although they look like a secret.
 */
export const pack = async (path: string, allowed: ReadonlySet<string> = new Set()): Promise<Packed> => {
  const found = await lstat(path).catch(() => undefined)
  try {
    if (found?.isDirectory() === true) return await packFolder(path, allowed)
    if (found?.isFile() === true) return await packFile(path, found.size, allowed)
  } catch (error) {
    throw refusal(error)
  }
  throw new PackRefused(
    found === undefined ? `there is no file or folder ${path}` : `${path} is neither a file nor a folder`
  )
}
