/**
 * What is loaded in the place of modules of the product: small caches, and a file that a mutation changed. Owns the
 * hooks of this process; mutations.ts says which.
 */

import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"
import type { Mutation } from "./mutations/mutation.ts"

const smallCache = new URL("./small-cache.ts", import.meta.url).href
const root = new URL("../../", import.meta.url).href

const mutated = (url: string, { file, from, to }: Mutation): string => {
  const text = readFileSync(fileURLToPath(url), "utf8")
  if (text.split(from).length !== 2) throw new Error(`${file} has not exactly one: ${from}`)
  return text.replace(from, () => to)
}

/** Puts them in place. Call it before the first import of the product. */
export const hookModules = (mutation?: Mutation): void => {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "lru-cache" && context.parentURL !== smallCache
        ? { url: smallCache, shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      mutation !== undefined && url === `${root}${mutation.file}`
        ? { format: "module-typescript", source: mutated(url, mutation), shortCircuit: true }
        : next(url, context)
  })
}
