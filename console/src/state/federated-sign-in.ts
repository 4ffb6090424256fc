/**
 * Signing in at the hub's OpenID Connect provider, where `HUB_DASHBOARD_URL` is the console. Owns the verifier, which
 * stays in this tab while it is at the provider: a code that comes back is of no use without it.
 */
import { route, routeOf } from "../routing.ts"
import { failureWords } from "./failure-words.ts"
import { signedOutBecause, signInWithCode } from "./session.ts"

const place = "hub.console.verifier"
/** Where the person was, such as an app's request to be let in. */
const returnPlace = "hub.console.return"

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** Leaves for the provider. Fails where the hub has none. */
export const leaveForProvider = async (): Promise<void> => {
  if (!isSecureContext) throw new Error("A browser signs in at a provider only from an https address.")
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  const begin = `/api/v1/auth/login?challenge=${base64url(new Uint8Array(digest))}`
  const answer = await fetch(begin, { redirect: "manual" })
  if (answer.status === 404) throw new Error("This hub has no provider to sign in at.")
  if (answer.type !== "opaqueredirect") throw new Error("The provider cannot be signed in at now. Please try again.")
  sessionStorage.setItem(place, verifier)
  sessionStorage.setItem(returnPlace, location.hash)
  location.assign(begin)
}

/** Finishes a sign-in where the browser comes back from the provider. */
export const backFromProvider = async (): Promise<void> => {
  const came = new URLSearchParams(location.hash.slice(1))
  const code = came.get("code")
  if (code === null && came.get("error") === null) return
  const verifier = sessionStorage.getItem(place)
  const before = sessionStorage.getItem(returnPlace) ?? ""
  for (const one of [place, returnPlace]) sessionStorage.removeItem(one)
  const hash = before.startsWith("#/") ? before : ""
  history.replaceState(null, "", location.pathname + hash)
  route.set(routeOf(hash))
  if (code === null || verifier === null) {
    signedOutBecause.set(came.get("error_description") ?? "The sign-in at the provider failed. Please try again.")
    return
  }
  signedOutBecause.set("Signing in…")
  try {
    await signInWithCode(code, verifier)
  } catch (error) {
    signedOutBecause.set(failureWords(error))
  }
}
