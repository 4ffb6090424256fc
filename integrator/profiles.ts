/**
 * The saved profiles: which hub, and with which credential. Owns their file, which only its user may read; asks nothing
 * of a hub.
 */
import { headerSecret } from "../client/src/index.ts"
import { ArgumentError, argued } from "../src/cli/arguments.ts"
import { ownFile, readOwnFile, writeOwnFile } from "./own-file.ts"
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
const nameShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u

const isProfile = (value: unknown): value is Profile =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Profile>).url === "string" &&
  typeof (value as Partial<Profile>).key === "string"

const read = (file: string): Profiles =>
  Object.fromEntries(
    Object.entries(readOwnFile(file, "profiles")).filter((entry): entry is [string, Profile] => isProfile(entry[1]))
  )

/** The profiles of one user. */
export class ProfileStore {
  readonly file: string

  constructor(environment: Environment) {
    this.file = ownFile(environment, "profiles.json")
  }

  /** Undefined where there is none of this name. */
  get(name: string): Profile | undefined {
    const profiles = read(this.file)
    return Object.hasOwn(profiles, name) ? profiles[name] : undefined
  }

  set(name: string, profile: Profile): void {
    if (!nameShape.test(name))
      throw new Refusal(`a profile's name is of letters, digits, ".", "_" and "-", not ${name}`)
    writeOwnFile(this.file, { ...read(this.file), [name]: profile })
  }

  remove(name: string): void {
    const { [name]: _, ...rest } = read(this.file)
    writeOwnFile(this.file, rest)
  }
}

/** A key or token as a header can carry it. Throws ArgumentError, without any part of it, where none can. */
export const secretOf = (name: string, given: string): string => argued(() => headerSecret(name, given))

/** The hub where no other is named. */
export const usualUrl = "http://127.0.0.1:8080"

/** The address of a hub. Throws ArgumentError where it is none. */
export const addressOf = (name: string, given: string): string => {
  if (/^https?:\/\//u.test(given) && URL.canParse(given)) return given
  throw new ArgumentError(`${name} is an address such as ${usualUrl}, not ${given}`)
}

/** The hub and credential that a command uses: from the environment, else from the profile. */
export const profileOf = (name: string | undefined, environment: Environment): Profile => {
  const { HUB_URL: url, HUB_KEY: key } = environment
  if (name === undefined && url !== undefined && key !== undefined)
    return { url: addressOf("HUB_URL", url), key: secretOf("HUB_KEY", key) }
  const store = new ProfileStore(environment)
  const profile = store.get(name ?? usualProfile)
  if (profile !== undefined) {
    const kept = { url: addressOf(`the hub in ${store.file}`, profile.url) }
    return { ...profile, ...kept, key: secretOf(`the API key in ${store.file}`, profile.key) }
  }
  const more = name === undefined ? "" : ` --profile ${name}`
  throw new Refusal(`not logged in: hub login --url URL${more}, or set HUB_URL and HUB_KEY`)
}
