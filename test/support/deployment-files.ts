/** The files by which the hub is deployed, read for tests. Owns the reading; holds no rule. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import { System } from "../../http/api/system.ts"
import { root } from "./root.ts"

// biome-ignore lint/suspicious/noExplicitAny: what a manifest holds is what the tests are about
export type Manifest = Record<string, any>

/** A file of the repository. */
export const fileText = (path: string): string => readFileSync(join(root, path), "utf8")

/** The documents of a YAML file; a fault or a doubtful place in it is an error. */
export const manifests = (path: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(fileText(path), { merge: true }).map((document) => {
    for (const problem of [...document.errors, ...document.warnings]) throw problem
    return document.toJS() as Manifest
  })

/** The paths operators ask, as the contract has them. */
export const operatorPaths: ReadonlyArray<string> = Object.values(System.endpoints).map(({ path }) => path)

/** `40s` or `2m` as milliseconds. */
export const spanMillis = (text: string): number => {
  const [, amount, unit] = /^(\d+)(s|m)$/u.exec(text)!
  return Number(amount) * (unit === "m" ? 60_000 : 1_000)
}
