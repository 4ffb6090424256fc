/**
 * The data folder: whether this user may write there, who else may read it, the room on its disk, and the secret key
 * of a hub on the embedded database: whether it is there, whole, and closed to others. Makes nothing.
 */
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { keyFile, SecretKeyUnusable, storedKey } from "../config/secret-key.ts"
import type { Settings } from "../config.ts"
import { diskBytesFew, diskBytesShort, diskFilesFew } from "../limits/doctor.ts"
import { fileFault } from "../runtime/file-fault.ts"
import { databaseFolder } from "../store/embedded/opening.ts"
import { error, type Finding, grouped, ok, skipped, warning } from "./finding.ts"

/** The room on a disk; `files`: undefined where it has no bound. */
export interface DiskRoom {
  readonly bytes: number
  readonly files: number | undefined
}

const othersBits = 0o077

/** The folder itself, or the nearest one above it that exists: a first start makes what is missing. */
const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)))

/** The room on the disk of this folder, for a user who is not root. */
const roomOf = (folder: string): DiskRoom => {
  const { bavail, bsize, files, ffree } = statfsSync(existing(resolve(folder)))
  return { bytes: bavail * bsize, files: files === 0 ? undefined : ffree }
}

/** Bytes of all files below a folder; 0 where there is none. */
const bytesBelow = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce(
          (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
          0
        )
    : 0

/** `wanted`: bytes that an export of the embedded database takes. */
export const judgeDisk = (folder: string, { bytes, files }: DiskRoom, wanted: number): Finding => {
  const check = "disk"
  const found = `${grouped(Math.floor(bytes / 1_048_576))} MiB are free on the disk of ${folder}`
  const remedy = "make room on it, or move the data folder (HUB_DATA_DIR)"
  if (bytes < diskBytesFew) return error(check, found, remedy)
  if (files !== undefined && files < diskFilesFew)
    return error(check, `${grouped(files)} more files (inodes) fit on the disk of ${folder}`, remedy)
  if (bytes < wanted)
    return warning(
      check,
      `${found}, and an export of the database takes ${grouped(Math.ceil(wanted / 1_048_576))} MiB: none is made`,
      remedy
    )
  return bytes < diskBytesShort ? warning(check, found, remedy) : ok(check, found)
}

const judgeFolder = (folder: string): Finding => {
  const check = "data folder"
  const there = existing(folder)
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
    if (!statSync(there).isDirectory()) throw Object.assign(new Error("no folder"), { code: "ENOTDIR" })
  } catch (fault) {
    return error(
      check,
      fileFault(`the data folder ${folder} (HUB_DATA_DIR)`, fault),
      `give it to the user of the hub (chown), mode 0700`
    )
  }
  if (there !== folder) return ok(check, `${folder} is not there yet; the first start makes it`)
  const mode = statSync(folder).mode & 0o777
  if ((mode & othersBits) === 0) return ok(check, folder)
  return warning(
    check,
    `other users of this computer may enter ${folder} (mode 0${mode.toString(8)})`,
    `chmod 700 ${folder}`
  )
}

/** An export needs as much as the copy and the file may take, and some room beside. */
const exportTimes = 2

/** `embedded`: whether the database lies there too. */
export const checkDataFolder = (dataDir: string, embedded: boolean): ReadonlyArray<Finding> => {
  const folder = resolve(dataDir)
  const verdict = judgeFolder(folder)
  if (verdict.severity === "error") return [verdict, skipped("disk", "the data folder cannot be used")]
  const database = embedded ? bytesBelow(databaseFolder(folder)) : 0
  const wanted = database === 0 ? 0 : database * exportTimes + diskBytesFew
  return [verdict, judgeDisk(folder, roomOf(folder), wanted)]
}

const restore =
  "restore it from a backup, or set HUB_SECRET_KEY to what it held; a new key opens no secret that is stored"

const judgeKeyFile = (file: string, hasDatabase: boolean): Finding => {
  if (!existsSync(file)) {
    if (hasDatabase)
      return error("secret key", `${file} is missing beside a database whose secrets are sealed under it`, restore)
    return ok("secret key", "not there yet; the first start makes it")
  }
  const mode = statSync(file).mode & 0o777
  if ((mode & othersBits) !== 0)
    return error(
      "secret key",
      `other users of this computer may read ${file} (mode 0${mode.toString(8)})`,
      `chmod 600 ${file}`
    )
  storedKey(file)
  return ok("secret key", `${file}, closed to others; keep a copy of it elsewhere`)
}

/** Given by the environment, or the file of the data folder. */
export const checkSecretKey = ({ secretKey, dataDir }: Settings): Finding => {
  if (secretKey !== undefined) return ok("secret key", "given by HUB_SECRET_KEY; keep a copy of it elsewhere")
  const file = join(resolve(dataDir), keyFile)
  try {
    return judgeKeyFile(file, existsSync(databaseFolder(resolve(dataDir))))
  } catch (fault) {
    const found = fault instanceof SecretKeyUnusable ? fault.sentence : fileFault(file, fault)
    return error("secret key", found, restore)
  }
}
