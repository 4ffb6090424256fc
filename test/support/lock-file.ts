/** A package-lock.json as npm writes it. Owns its reading; judges nothing. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./root.ts"

/** One package at its path, such as `node_modules/pg`. */
export interface LockedPackage {
  readonly path: string
  /** Where it is installed under another one. */
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly license?: string
  readonly engines?: { readonly node?: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  /** Another folder of the project. */
  readonly link?: true
  /** Only for development: what runs does not need it. */
  readonly dev?: true
  readonly hasInstallScript?: true
}

/** The packages of the lock file in a folder of the project, those of the project itself left out. */
export const lockedPackages = (folder = "."): ReadonlyArray<LockedPackage> => {
  const text = readFileSync(join(root, folder, "package-lock.json"), "utf8")
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Omit<LockedPackage, "path">>> }
  return Object.entries(packages)
    .map(([path, one]) => ({ path, ...one }))
    .filter(({ path, link }) => path.includes("node_modules/") && link !== true)
}

/** The name of a package from its path. */
export const nameOf = ({ path }: LockedPackage): string => path.slice(path.lastIndexOf("node_modules/") + 13)
