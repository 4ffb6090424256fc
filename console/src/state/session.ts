/**
 * The signed-in person and the client that calls the hub as them. Owns the token: it is held in memory, and a cookie
 * that no script reads gives it to each tab of the browser.
 */
import { createClient, type Output } from "@hub/client"
import { signOutMillis } from "../limits.ts"
import { Store } from "./store.ts"

/** Who is signed in. */
export interface Session {
  readonly token: string
  readonly expiresAt: number
  /** The person's own address. */
  readonly email: string
  /** The account that they are signed in to. */
  readonly accountId: string
}

/** Who is signed in, and where: another one sees and does nothing of what was theirs. */
export const ownerOf = ({ accountId, email }: Session): string => `${accountId} ${email}`

const place = "/console/session"

/** Who is signed in. */
export const session = new Store<Session | undefined>(undefined)

/** Has something done whenever another person, or another account, takes the place of the one before, or none does. */
export const onOtherOwner = (act: () => void): void => {
  let before = session.value && ownerOf(session.value)
  session.listen((now) => {
    const owner = now && ownerOf(now)
    if (owner !== before) act()
    before = owner
  })
}

/** Whether the browser may still keep a session that is not read yet. */
export const resuming = new Store(true)

/** Why the sign-in is shown, where that is not plain. */
export const signedOutBecause = new Store<string | undefined>(undefined)

/** Has the browser keep it for its other tabs; one that does not is signed in in this tab alone. */
const keepInBrowser = async ({ token }: Session): Promise<void> => {
  try {
    await fetch(place, { method: "POST", headers: { authorization: `Bearer ${token}` } })
  } catch {
    // the hub is away: the tab goes on with what it has
  }
}

const keep = async (value: Session): Promise<void> => {
  session.set(value)
  await keepInBrowser(value)
}

/** What the browser keeps; undefined where that is nothing, or nothing good. */
const kept = async (): Promise<Session | undefined> => {
  try {
    const response = await fetch(place)
    if (!response.ok) return undefined
    const { session: found } = (await response.json()) as { readonly session: Output<"auth.login"> | null }
    return found === null ? undefined : sessionOf(found)
  } catch {
    return undefined
  }
}

/** Signs this tab in as the others are. */
export const resume = async (): Promise<void> => {
  const found = await kept()
  if (found !== undefined && session.value === undefined) session.set(found)
  resuming.set(false)
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

const withToken = (init: RequestInit, token: string): RequestInit => {
  const headers = new Headers(init.headers)
  headers.set("authorization", `Bearer ${token}`)
  return { ...init, headers }
}

/** For a call that makes a secret: the repeat of an answer that was lost would lack it. */
export const shownOnce = { idempotencyKey: false } as const

/** Calls the hub as the person who is signed in. */
export const client = createClient({
  url,
  credential: () => session.value?.token,
  fetch: async (to, init) => {
    const response = await fetch(to, init)
    // a call that began before a new sign-in says nothing of the new token
    if (!(await isHubsRefusal(response)) || session.value === undefined || !isOwn(init)) return response
    const before = session.value
    const found = await kept()
    if (session.value !== before) return response
    if (found !== undefined && found.token !== before.token) {
      // another tab has signed in since: what was meant for one account is not done in another
      session.set(found)
      return ownerOf(found) === ownerOf(before) ? fetch(to, withToken(init, found.token)) : response
    }
    signedOutBecause.set("Your session has ended. Please sign in again.")
    session.set(undefined)
    return response
  }
})

const stranger = createClient({ url, retries: 0 })

/** A node of an earlier version says no person: there the account has one. */
type Answer = Omit<Output<"auth.login">, "person"> & Partial<Pick<Output<"auth.login">, "person">>

const sessionOf = ({ token, expiresAt, account, person }: Answer): Session => ({
  token,
  expiresAt,
  email: person?.email ?? account.email,
  accountId: account.id
})

/** Ends a session at the hub; that it is over already is as good. */
const revoke = async (token: string): Promise<void> => {
  try {
    await createClient({ url, credential: token, retries: 1 }).auth.logout()
  } catch {
    // not reached, or ended before: the token is forgotten here in either case
  }
}

/** Signs in. A tab in which the same person did so meanwhile goes on with this session: one sign-out is of both. */
export const signIn = async (email: string, password: string): Promise<void> => {
  const own = sessionOf(await stranger.auth.login({ email, password }))
  const other = await kept()
  signedOutBecause.set(undefined)
  await keep(own)
  if (other !== undefined && ownerOf(other) === ownerOf(own)) await revoke(other.token)
}

/** What an invitation is to, which its token alone shows. */
export const showInvitation = (token: string, signal: AbortSignal) =>
  stranger.members.showInvitation({ token }, { signal })

/** Accepts an invitation as a person who is new here, and signs them in. */
export const acceptAsNew = async (token: string, password: string): Promise<void> => {
  const { email } = await stranger.members.accept({ token, password })
  await signIn(email, password)
}

/** Signs in with what the provider's sign-in gave; a session before it ends. */
export const signInWithCode = async (code: string, verifier: string): Promise<void> => {
  const before = session.value
  const answer = await stranger.auth.exchange({ code, verifier })
  signedOutBecause.set(undefined)
  await keep(sessionOf(answer))
  if (before !== undefined) await revoke(before.token)
}

/** Goes on as the same person in another account of theirs; the session in this one ends. */
export const switchAccount = async (accountId: string): Promise<void> => {
  const before = session.value
  const answer = await client.auth.switch({ accountId })
  await keep(sessionOf(answer))
  if (before !== undefined) await revoke(before.token)
}

/** Signs the same person in again, so that the login is recent; the session before ends. */
export const signInAgain = async (password: string): Promise<void> => {
  const before = session.value
  if (before === undefined) return
  const answer = await stranger.auth.login({ email: before.email, password })
  const [{ token }, { accountId }] = [answer, before]
  const isElsewhere = answer.account.id !== accountId
  const there = isElsewhere ? await createClient({ url, credential: token }).auth.switch({ accountId }) : answer
  await keep(sessionOf(there))
  await revoke(before.token)
  if (isElsewhere) await revoke(token)
}

let leave: (token: string) => Promise<void> = async () => undefined

/** Has something done at each sign-out, with the token that is void behind it, for as long as a sign-out may take. */
export const onSignOut = (act: typeof leave): void => {
  leave = act
}

/** Signs out, in all tabs: the token is forgotten here and void at the hub. */
export const signOut = async (): Promise<void> => {
  const before = session.value
  signedOutBecause.set(undefined)
  session.set(undefined)
  const forgotten = fetch(place, { method: "DELETE" }).catch(() => undefined)
  if (before !== undefined) {
    const over = new Promise((done) => setTimeout(done, signOutMillis))
    await Promise.race([leave(before.token).catch(() => undefined), over])
    await revoke(before.token)
  }
  await forgotten
}
