/** The secret key of a hub on the embedded database: whether it is there, whole, and closed to others. Makes none. */
import { existsSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { SecretKeyUnusable, storedKey } from "../config/secret-key.ts"
import type { Settings } from "../config.ts"
import { fileFault } from "../runtime/file-fault.ts"
import { databaseFolder } from "../store/embedded/opening.ts"
import { error, type Finding, ok } from "./finding.ts"

const check = "secret key"
const othersBits = 0o077
const restore =
  "restore it from a backup, or set HUB_SECRET_KEY to what it held; a new key opens no secret that is stored"

const judgeFile = (file: string, hasDatabase: boolean): Finding => {
  if (!existsSync(file)) {
    if (hasDatabase)
      return error(check, `${file} is missing beside a database whose secrets are sealed under it`, restore)
    return ok(check, "not there yet; the first start makes it")
  }
  const mode = statSync(file).mode & 0o777
  if ((mode & othersBits) !== 0)
    return error(
      check,
      `other users of this computer may read ${file} (mode 0${mode.toString(8)})`,
      `chmod 600 ${file}`
    )
  storedKey(file)
  return ok(check, `${file}, closed to others; keep a copy of it elsewhere`)
}

/** Given by the environment, or the file of the data folder. */
export const checkSecretKeyFile = ({ secretKey, dataDir }: Settings): Finding => {
  if (secretKey !== undefined) return ok(check, "given by HUB_SECRET_KEY; keep a copy of it elsewhere")
  const file = join(resolve(dataDir), "secret.key")
  try {
    return judgeFile(file, existsSync(databaseFolder(resolve(dataDir))))
  } catch (fault) {
    const found = fault instanceof SecretKeyUnusable ? fault.sentence : fileFault(file, fault)
    return error(check, found, restore)
  }
}
