/**
 * The signed-in owner and the client that calls the hub as them. Owns the token: in sessionStorage, so that a reload
 * keeps it, while it ends with its tab and no other tab holds it.
 */
import { createClient, type Output } from "@hub/client"
import { Store } from "./store.ts"

/** Who is signed in. */
export interface Session {
  readonly token: string
  readonly expiresAt: number
  readonly email: string
}

const place = "hub.console.session"

const isSession = (value: unknown): value is Session => {
  const { token, expiresAt, email } = (value ?? {}) as Partial<Record<keyof Session, unknown>>
  return typeof token === "string" && typeof expiresAt === "number" && typeof email === "string"
}

const read = (): Session | undefined => {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(place) ?? "null")
    return isSession(value) && value.expiresAt > Date.now() ? value : undefined
  } catch {
    return undefined
  }
}

/** The owner who is signed in. */
export const session = new Store<Session | undefined>(read())

/** Why the sign-in is shown, where that is not plain. */
export const signedOutBecause = new Store<string | undefined>(undefined)

const keep = (value: Session | undefined): void => {
  try {
    if (value === undefined) sessionStorage.removeItem(place)
    else sessionStorage.setItem(place, JSON.stringify(value))
  } catch {
    // a browser that keeps nothing signs its owner out with each reload
  }
  session.set(value)
}

const isOwn = (init: RequestInit): boolean =>
  new Headers(init.headers).get("authorization") === `Bearer ${session.value?.token}`

/** Whether the hub itself refused a credential; a proxy before it has a 401 of its own. */
const isHubsRefusal = async (response: Response): Promise<boolean> => {
  if (response.status !== 401) return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof (body as { readonly reason?: unknown } | null | undefined)?.reason === "string"
}

const url = location.origin

/** Calls the hub as the signed-in owner. */
export const client = createClient({
  url,
  credential: () => session.value?.token,
  fetch: async (to, init) => {
    const response = await fetch(to, init)
    // a call that began before a new sign-in says nothing of the new token
    if ((await isHubsRefusal(response)) && session.value !== undefined && isOwn(init)) {
      signedOutBecause.set("Your session has ended. Please sign in again.")
      keep(undefined)
    }
    return response
  }
})

const stranger = createClient({ url, retries: 0 })

const sessionOf = ({ token, expiresAt, account }: Output<"auth.login">): Session => ({
  token,
  expiresAt,
  email: account.email
})

/** Ends a session at the hub; that it is over already is as good. */
const revoke = async (token: string): Promise<void> => {
  try {
    await createClient({ url, credential: token, retries: 1 }).auth.logout()
  } catch {
    // not reached, or ended before: the token is forgotten here in either case
  }
}

/** Signs in. */
export const signIn = async (email: string, password: string): Promise<void> => {
  const answer = await stranger.auth.login({ email, password })
  signedOutBecause.set(undefined)
  keep(sessionOf(answer))
}

/** Signs in with what the provider's sign-in gave; a session before it ends. */
export const signInWithCode = async (code: string, verifier: string): Promise<void> => {
  const before = session.value
  const answer = await stranger.auth.exchange({ code, verifier })
  signedOutBecause.set(undefined)
  keep(sessionOf(answer))
  if (before !== undefined) await revoke(before.token)
}

/** Signs the same owner in again, so that the login is recent; the session before ends. */
export const signInAgain = async (password: string): Promise<void> => {
  const before = session.value
  if (before === undefined) return
  const answer = await stranger.auth.login({ email: before.email, password })
  keep(sessionOf(answer))
  await revoke(before.token)
}

/** Signs out: the token is forgotten here and void at the hub. */
export const signOut = async (): Promise<void> => {
  const before = session.value
  signedOutBecause.set(undefined)
  keep(undefined)
  if (before !== undefined) await revoke(before.token)
}
