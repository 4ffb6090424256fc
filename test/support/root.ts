/** The folder of the project. Owns nothing else: most tests want no more of the project's files than where they are. */
import { dirname, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** Absolute, without a slash at its end. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..")
