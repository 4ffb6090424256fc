/**
 * The secret key of a hub on the embedded database: made once, kept in the data folder (0600). Owns that file; a hub on
 * Postgres never comes here, because every node there must be given the same key.
 */
import { randomBytes } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Data } from "effect"
import { fileFault } from "../runtime/file-fault.ts"
import { readSecretKeys, secretKeyBytes } from "./secret-keys.ts"

/** Its name in the data folder. */
export const keyFile = "secret.key"

/** The key in the data folder cannot be read or made. */
export class SecretKeyUnusable extends Data.TaggedError("SecretKeyUnusable")<{ readonly sentence: string }> {
  override get message(): string {
    return this.sentence
  }
}

/** The key in this file; undefined where there is none. Throws where it holds no key. */
export const storedKey = (file: string): Uint8Array | undefined => {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
  const keys = readSecretKeys(text.trim())
  // A new key would make every stored secret unreadable: a person must decide that.
  if (keys === undefined) {
    throw new SecretKeyUnusable({
      sentence: `${file} does not hold ${secretKeyBytes} bytes in base64: restore it from a backup`
    })
  }
  return keys
}

/** The key in this data folder, made now if there is none; throws SecretKeyUnusable. */
export const keyInFolder = (dataDir: string): Uint8Array => {
  try {
    return foundOrMade(dataDir)
  } catch (fault) {
    if (fault instanceof SecretKeyUnusable) throw fault
    throw new SecretKeyUnusable({ sentence: fileFault(`the secret key ${join(dataDir, keyFile)}`, fault) })
  }
}

const foundOrMade = (dataDir: string): Uint8Array => {
  const file = join(dataDir, keyFile)
  const found = storedKey(file)
  if (found !== undefined) return found
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(secretKeyBytes).toString("base64")}\n`, { mode: 0o600, flush: true })
  try {
    // A link is atomic and refuses to replace: of two that start at once, one key wins for both.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return storedKey(file)!
}
