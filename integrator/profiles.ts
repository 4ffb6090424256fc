/**
 * The saved profiles: which hub, and with which credential. Owns their file, which only its user may read; asks nothing
 * of a hub.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { headerSecret } from "../client/src/index.ts"
import { argued } from "../src/cli/arguments.ts"
import { Refusal } from "./refusal.ts"

/** What is kept of one login. */
export interface Profile {
  readonly url: string
  readonly key: string
  /** Whose key it is. */
  readonly accountId?: string
  /** The token of the daemon that `hub trigger` connects, where one was given. */
  readonly daemonToken?: string
  /** The join key by which it gets a daemon each time, which the hub removes again. */
  readonly triggerKey?: string
}

type Profiles = Readonly<Record<string, Profile>>
type Environment = Readonly<Record<string, string | undefined>>

/** The name of the profile that is meant when none is named. */
export const usualProfile = "default"
const bytesMax = 65_536
const nameShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u

/** Where the profiles are kept. */
const profilesFile = (environment: Environment): string =>
  join(environment["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "hub", "profiles.json")

const isProfile = (value: unknown): value is Profile =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Profile>).url === "string" &&
  typeof (value as Partial<Profile>).key === "string"

const read = (file: string): Profiles => {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {}
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`)
  }
  const refusal = (why: string): Refusal => new Refusal(`${file} holds no profiles: ${why}; remove it and log in again`)
  if (text.length > bytesMax) throw refusal("it is too large")
  try {
    const value = JSON.parse(text) as Record<string, unknown>
    return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Profile] => isProfile(entry[1])))
  } catch {
    // the parser's own words may quote a key
    throw refusal("it is no JSON object")
  }
}

/** Written beside and moved: a reader never sees half a file, and it is never readable by others. */
const write = (file: string, profiles: Profiles): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

/** The profiles of one user. */
export class ProfileStore {
  readonly file: string

  constructor(environment: Environment) {
    this.file = profilesFile(environment)
  }

  /** Undefined where there is none of this name. */
  get(name: string): Profile | undefined {
    const profiles = read(this.file)
    return Object.hasOwn(profiles, name) ? profiles[name] : undefined
  }

  set(name: string, profile: Profile): void {
    if (!nameShape.test(name))
      throw new Refusal(`a profile's name is of letters, digits, ".", "_" and "-", not ${name}`)
    write(this.file, { ...read(this.file), [name]: profile })
  }

  /** Whether there was one. */
  remove(name: string): boolean {
    const { [name]: gone, ...rest } = read(this.file)
    if (gone === undefined) return false
    write(this.file, rest)
    return true
  }
}

/** A key or token as a header can carry it. Throws ArgumentError, without any part of it, where none can. */
export const secretOf = (name: string, given: string): string => argued(() => headerSecret(name, given))

/** The hub and credential that a command uses: from the environment, else from the profile. */
export const profileOf = (name: string | undefined, environment: Environment): Profile => {
  const { HUB_URL: url, HUB_KEY: key } = environment
  if (name === undefined && url !== undefined && key !== undefined) return { url, key: secretOf("HUB_KEY", key) }
  const store = new ProfileStore(environment)
  const profile = store.get(name ?? usualProfile)
  if (profile !== undefined) return { ...profile, key: secretOf(`the API key in ${store.file}`, profile.key) }
  const more = name === undefined ? "" : ` --profile ${name}`
  throw new Refusal(`not logged in: hub login --url URL${more}, or set HUB_URL and HUB_KEY`)
}
