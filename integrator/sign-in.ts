/**
 * Signs the owner of a saved key in, for what no API key may do. Owns the questions and the kept sessions: one per hub
 * and account, until the hub takes it no more. Keeps no password.
 */
import { createClient, type HubClient, isFailure, Refused } from "../client/src/index.ts"
import { ownFile, readOwnFile, writeOwnFile } from "./own-file.ts"
import type { Profile } from "./profiles.ts"
import { Refusal, refusing } from "./refusal.ts"
import type { Terminal } from "./terminal.ts"

/** What for: `to` is the rest of a sentence; `instead`, what else would do. */
export interface Purpose {
  readonly to: string
  readonly instead?: string
}

type Environment = Readonly<Record<string, string | undefined>>

const sessionsMax = 32

/** The sessions of one user: the token of each, by hub and account, the oldest first. */
class SessionStore {
  private readonly file: string

  constructor(environment: Environment) {
    this.file = ownFile(environment, "sessions.json")
  }

  private all(): ReadonlyArray<readonly [string, string]> {
    const entries = Object.entries(readOwnFile(this.file, "sessions"))
    return entries.filter((entry): entry is [string, string] => typeof entry[1] === "string")
  }

  get(name: string): string | undefined {
    return this.all().find(([one]) => one === name)?.[1]
  }

  /** Without a token it is forgotten. */
  put(name: string, token: string | undefined): void {
    const others = this.all().filter(([one]) => one !== name)
    const kept = token === undefined ? others : [...others, [name, token] as const]
    writeOwnFile(this.file, Object.fromEntries(kept.slice(-sessionsMax)))
  }
}

const nameOf = ({ url, accountId }: Profile): string => `${url} ${accountId ?? ""}`

/** Whether the hub wants a login, or a newer one, before it does this. */
const wantsLogin = (error: unknown): boolean => {
  const failure = error instanceof Refusal ? error.cause : error
  if (!(failure instanceof Refused) || failure.problem === undefined) return false
  return failure.status === 401 || failure.reason === "RECENT_LOGIN_REQUIRED"
}

const login = async ({ url, accountId }: Profile, { to, instead }: Purpose, terminal: Terminal): Promise<string> => {
  if (!terminal.isInteractive)
    throw new Refusal(`to ${to} its owner signs in at a terminal${instead === undefined ? "" : `; or ${instead}`}`)
  terminal.complain(`To ${to} sign in to ${url}.`)
  const email = await terminal.ask("E-mail: ")
  const password = await terminal.ask("Password: ", true)
  const { token, account } = await refusing(url, createClient({ url }).auth.login({ email, password }))
  if (accountId === undefined || account.id === accountId) return token
  const client = createClient({ url, credential: token })
  const there = await client.auth.switch({ accountId }).catch(() => undefined)
  await refusing(url, client.auth.logout())
  if (there !== undefined) return there.token
  throw new Refusal(`${email} signs in to another account than that of the saved key`)
}

/**
 * Uses the kept session, else asks for e-mail address and password at a terminal and keeps the new one. `use` runs a
 * second time where the first ended because the hub wants a login.
 */
export const signedIn = async <A>(
  profile: Profile,
  purpose: Purpose,
  { environment, terminal }: { readonly environment: Environment; readonly terminal: Terminal },
  use: (client: HubClient) => Promise<A>
): Promise<A> => {
  const { url } = profile
  const sessions = new SessionStore(environment)
  const name = nameOf(profile)
  const kept = sessions.get(name)
  if (kept !== undefined) {
    try {
      return await use(createClient({ url, credential: kept }))
    } catch (error) {
      if (!wantsLogin(error)) throw error
      sessions.put(name, undefined)
    }
  }
  const token = await login(profile, purpose, terminal)
  sessions.put(name, token)
  return use(createClient({ url, credential: token }))
}

/** Forgets the kept session of a profile and has the hub end it; gives whether there is none any more. */
export const signOut = async (profile: Profile, environment: Environment): Promise<boolean> => {
  const sessions = new SessionStore(environment)
  const name = nameOf(profile)
  const token = sessions.get(name)
  if (token === undefined) return true
  sessions.put(name, undefined)
  try {
    await createClient({ url: profile.url, credential: token }).auth.logout()
    return true
  } catch (error) {
    if (isFailure(error)) return error instanceof Refused && error.status === 401
    throw error
  }
}
