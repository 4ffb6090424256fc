/** Signs a person in for one action that no API key may do. Owns the questions; keeps neither password nor token. */
import { createClient, type HubClient } from "../client/src/index.ts"
import { Refusal, refusing } from "./refusal.ts"
import type { Terminal } from "./terminal.ts"

/** A session, to be ended. */
export interface SignedIn {
  readonly client: HubClient
  readonly leave: () => Promise<void>
}

/** Asks for e-mail address and password at a terminal. `to`: what it is for, as the rest of a sentence. */
export const signIn = async (url: string, to: string, terminal: Terminal): Promise<SignedIn> => {
  if (process.stdin.isTTY !== true)
    throw new Refusal(
      `to ${to} its owner signs in at a terminal; or give a daemon's token: hub login --daemon-token, or HUB_TOKEN`
    )
  terminal.complain(`To ${to} sign in to ${url}.`)
  const email = await terminal.ask("E-mail: ")
  const password = await terminal.ask("Password: ", true)
  const { token } = await refusing(url, createClient({ url }).auth.login({ email, password }))
  const client = createClient({ url, credential: token })
  return { client, leave: async () => void (await refusing(url, client.auth.logout())) }
}
