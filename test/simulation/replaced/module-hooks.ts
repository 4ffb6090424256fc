/**
 * What is loaded in the place of modules of the product: small caches, metrics without gauges, a bound that a world
 * reaches, and for each planted fault a product of its own in which one file differs. Owns the hooks of this process.
 */
import { readFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"
import { type Change, changesOf, type Mutation } from "../mutations/mutation.ts"

const smallCache = new URL("./small-cache.ts", import.meta.url).href
/** Each module, and what is loaded in its place. */
const replaced = new Map([
  [
    new URL("../../../src/runtime/metrics.ts", import.meta.url).href,
    new URL("./metrics-without-gauges.ts", import.meta.url).href
  ],
  [new URL("../../../src/limits/nodes.ts", import.meta.url).href, new URL("./node-asks-bound.ts", import.meta.url).href]
])
const root = new URL("../../../", import.meta.url).href

const isOurs = (url: string): boolean => url.startsWith(root) && !url.includes("/node_modules/") && url.includes(".ts")
const plainOf = (url: string): string => url.replace(/\?.*$/u, "")

/** The JavaScript of each file, which every product of this process shares. */
const scripts = new Map<string, string>()
const scriptOf = (url: string): string => {
  const script = scripts.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"))
  scripts.set(url, script)
  return script
}

/** A file of the product with what a fault changes in it. */
const mutated = (url: string, changes: ReadonlyArray<Change>): string => {
  let text = readFileSync(fileURLToPath(url), "utf8")
  for (const { file, from, to } of changes) {
    if (text.split(from).length !== 2) throw new Error(`${file} has not exactly one: ${from}`)
    text = text.replace(from, () => to)
  }
  return stripTypeScriptTypes(text)
}

/** Puts them in place. Call it before the first import of the product; `mutations` are those that may be planted. */
export const hookModules = (mutations: ReadonlyArray<Mutation> = []): void => {
  registerHooks({
    resolve: (specifier, context, next) => {
      const parent = context.parentURL ?? ""
      if (specifier === "lru-cache" && plainOf(parent) !== smallCache) return { url: smallCache, shortCircuit: true }
      const resolved = next(specifier, context)
      const instead = replaced.get(plainOf(resolved.url))
      const found = instead !== undefined && plainOf(parent) !== instead ? { ...resolved, url: instead } : resolved
      // what a product of its own imports is of that product
      const product = /\?product=\d+$/u.exec(parent)?.[0]
      return product === undefined || !isOurs(found.url) ? found : { ...found, url: `${plainOf(found.url)}${product}` }
    },
    load: (url, context, next) => {
      const product = /\?product=(\d+)$/u.exec(url)?.[1]
      if (product === undefined || !isOurs(url)) return next(url, context)
      const plain = plainOf(url)
      const mutation = mutations[Number(product)]
      const changes = mutation === undefined ? [] : changesOf(mutation)
      const own = changes.filter(({ file }) => plain === `${root}${file}`)
      const source = own.length > 0 ? mutated(plain, own) : scriptOf(plain)
      return { format: "module", source, shortCircuit: true }
    }
  })
}
