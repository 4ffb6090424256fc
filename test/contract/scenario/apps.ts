/** The chapter of connected apps: one asks to be let in, is refused and let in, takes its code, and is disconnected. */
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

const issuer = "https://hub.test"
const redirect_uri = "https://app.example/callback"
/** The example of RFC 7636, appendix B. */
const code_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
const code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

const queryOf = (client_id: string): string =>
  new URLSearchParams({
    ...{ client_id, redirect_uri, code_challenge, code_challenge_method: "S256", response_type: "code" },
    ...{ scope: "ide:read agent:read offline_access", resource: `${issuer}/mcp` }
  }).toString()

/** A person lets an app in, who has just signed in. */
export const apps = async (world: World, session: Calls, stale: Calls): Promise<void> => {
  const query = queryOf(world.app)
  const shown = await answered(session["connectedApps.show"]({ body: { query } }))
  if (shown.redirectHost !== "app.example") throw new Error("it is shown with another host")
  await refused(session["connectedApps.show"]({ body: { query: "x" } }), 400, "AUTHORIZATION_REFUSED")
  const denied = await answered(session["connectedApps.deny"]({ body: { query } }))
  if (!denied.location.includes("error=access_denied")) throw new Error("the app does not learn of it")
  const approval = { query, scopes: ["ide:read" as const], selector: "env=prod", offline: false }
  await refused(stale["connectedApps.approve"]({ body: approval }), 403, "RECENT_LOGIN_REQUIRED")
  const { location } = await answered(session["connectedApps.approve"]({ body: approval }))
  const code = new URL(location).searchParams.get("code") ?? ""
  const form = { grant_type: "authorization_code", client_id: world.app, redirect_uri, code, code_verifier }
  const taken = await fetch(`${world.url}/oauth/token`, { method: "POST", body: new URLSearchParams(form) })
  if (taken.status !== 200) throw new Error(`the code is not taken: ${await taken.text()}`)
  const { connectedApps } = await answered(session["connectedApps.list"]({}))
  const path = { appId: connectedApps[0].id }
  await refused(stale["connectedApps.disconnect"]({ path }), 403, "RECENT_LOGIN_REQUIRED")
  await answered(session["connectedApps.disconnect"]({ path }))
  await refused(session["connectedApps.disconnect"]({ path }), 404, "NOT_FOUND")
}
