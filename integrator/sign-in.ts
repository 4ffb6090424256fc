/** Signs a person in for one action that no API key may do. Owns the questions; keeps neither password nor token. */
import { createClient, type HubClient } from "../client/src/index.ts"
import { Refusal, refusing } from "./refusal.ts"
import type { Terminal } from "./terminal.ts"

/** What for: `to` is the rest of a sentence; `instead`, what else would do. */
export interface Purpose {
  readonly to: string
  readonly instead?: string
}

/** Asks for e-mail address and password at a terminal, has the session used, and ends it. */
export const signedIn = async <A>(
  url: string,
  { to, instead }: Purpose,
  terminal: Terminal,
  use: (client: HubClient) => Promise<A>
): Promise<A> => {
  if (!terminal.isInteractive)
    throw new Refusal(`to ${to} its owner signs in at a terminal${instead === undefined ? "" : `; or ${instead}`}`)
  terminal.complain(`To ${to} sign in to ${url}.`)
  const email = await terminal.ask("E-mail: ")
  const password = await terminal.ask("Password: ", true)
  const { token } = await refusing(url, createClient({ url }).auth.login({ email, password }))
  const client = createClient({ url, credential: token })
  try {
    return await use(client)
  } finally {
    await refusing(url, client.auth.logout())
  }
}
