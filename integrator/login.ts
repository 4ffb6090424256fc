/** `hub login`, `logout`, `whoami`: keeps a credential once the hub has accepted it. Owns what is asked and said. */

import { hostname } from "node:os"
import { createClient, Refused } from "../client/src/index.ts"
import { cutToChars } from "../src/domain/text/truncate.ts"
import { type Allowed, keyByDevice, usualScopes } from "./device-login.ts"
import { addressOf, ProfileStore, profileOf, secretOf, usualProfile, usualUrl } from "./profiles.ts"
import { Refusal, refusing } from "./refusal.ts"
import { signOut } from "./sign-in.ts"
import type { Terminal } from "./terminal.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** What a login is given. */
export interface LoginInput {
  readonly url: string | undefined
  readonly profile: string | undefined
  /** The token of the daemon for `hub trigger`, which is read from standard input after the key. */
  readonly daemonToken: string | undefined
  /** No key is asked for: a person allows one in a browser. */
  readonly device: boolean
  /** With which scopes then; the usual ones where none are named. */
  readonly scopes: ReadonlyArray<string>
}

/** Every scope. */
const allScopes = [...usualScopes, "terminal:exec", "registry:publish"] as const
const isScope = (word: string): word is (typeof allScopes)[number] =>
  (allScopes as ReadonlyArray<string>).includes(word)
const nameCharsMax = 100
const isDaemonToken = (text: string): boolean => text.startsWith("hubd_")

const byDevice = (url: string, { scopes }: LoginInput, terminal: Terminal): Promise<Allowed> => {
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown !== undefined) throw new Refusal(`--scopes names ${unknown}; the scopes are ${allScopes.join(", ")}`)
  const named = scopes.filter(isScope)
  const name = cutToChars(`hub login on ${hostname()}`, nameCharsMax)
  return keyByDevice(url, { name, scopes: named.length === 0 ? [...usualScopes] : named }, terminal)
}

const keyOf = async (
  url: string,
  input: LoginInput,
  environment: Environment,
  terminal: Terminal
): Promise<Allowed> => {
  if (input.device) return byDevice(url, input, terminal)
  const set = environment["HUB_KEY"]
  if (set !== undefined) return { key: secretOf("HUB_KEY", set) }
  const { isInteractive } = terminal
  const key = await terminal.ask(`API key for ${url}${isInteractive ? " (none: allow one in a browser)" : ""}: `, true)
  if (key !== "") return { key: secretOf("the API key", key) }
  if (isInteractive) return byDevice(url, input, terminal)
  throw new Refusal("no API key was given: type or pipe it, set HUB_KEY, or hub login --device")
}

/** Whose key it is; of one that the hub does not know, what a person may have given instead. */
const ownerOf = async (url: string, key: string, signal: AbortSignal) => {
  const asked = createClient({ url, credential: key }).account.me({}, { signal })
  return refusing(
    url,
    asked.catch((error: unknown) => {
      if (!(error instanceof Refused) || error.status !== 401 || error.problem === undefined) throw error
      const is = isDaemonToken(key) ? "that is a daemon's token; the key begins with hub_" : "see that it is whole"
      throw new Refusal(`${url} does not know this API key: ${is}, or make another in ${new URL("/console", url)}`)
    })
  )
}

/** Asks for a key, tries it, and saves it. */
export const login = async (input: LoginInput, environment: Environment, terminal: Terminal): Promise<void> => {
  const { HUB_URL: usual = usualUrl } = environment
  const url = input.url === undefined ? addressOf("HUB_URL", usual) : addressOf("--url", input.url)
  const daemonToken = input.daemonToken === undefined ? undefined : secretOf("--daemon-token", input.daemonToken)
  if (daemonToken !== undefined && !isDaemonToken(daemonToken))
    throw new Refusal("--daemon-token is no token of a daemon: one begins with hubd_, and is shown when it is enrolled")
  const { key, joinKey } = await keyOf(url, input, environment, terminal)
  const me = await ownerOf(url, key, terminal.signal)
  const store = new ProfileStore(environment)
  const name = input.profile ?? usualProfile
  const before = store.get(name)
  // what hub trigger was allowed goes on with another key of the same account
  const same = before?.url === url && before.accountId === me.account.id ? before : undefined
  const allowed = joinKey === undefined ? {} : { triggerKey: joinKey }
  const kept = { ...same, ...allowed, url, key, accountId: me.account.id }
  store.set(name, { ...kept, ...(daemonToken === undefined ? {} : { daemonToken }) })
  terminal.say(`logged in to ${url} as ${me.account.email} (plan ${me.account.plan}); scopes: ${me.scopes.join(", ")}`)
  terminal.say(`saved as profile ${name} in ${store.file}`)
}

/** Forgets a profile, and ends the session that was kept for it. The key itself stays valid. */
export const logout = async (
  profile: string | undefined,
  environment: Environment,
  terminal: Terminal
): Promise<void> => {
  const name = profile ?? usualProfile
  const store = new ProfileStore(environment)
  const saved = store.get(name)
  if (saved === undefined) throw new Refusal(`there is no profile ${name}`)
  store.remove(name)
  if (!(await signOut(saved, environment)))
    terminal.complain(`${saved.url} could not be told that the session ends; it ends by itself within the hour`)
  terminal.say(`profile ${name} is removed; its API key is still valid until it is revoked`)
}

/** Who the saved credential is. */
export const whoami = async (
  profile: string | undefined,
  json: boolean,
  environment: Environment,
  terminal: Terminal
): Promise<void> => {
  const { url, key } = profileOf(profile, environment)
  const me = await refusing(url, createClient({ url, credential: key }).account.me({}, { signal: terminal.signal }))
  if (json) return terminal.sayJson({ url, ...me })
  terminal.say(`${me.account.email} (${me.account.id}), plan ${me.account.plan}, at ${url}`)
  terminal.say(`scopes: ${me.scopes.join(", ")}`)
}
