/**
 * The token or join key that the daemon is given. Owns which text is one, by how it begins; reads no file and asks no
 * hub.
 */
import { headerSecret } from "../client/src/credential.ts"

/** What begins so is another secret of the hub: what it is, and where it belongs. */
const others: Readonly<Record<"token" | "join key", ReadonlyArray<readonly [string, string]>>> = {
  token: [
    [
      "hub_",
      "an API key; a daemon has a token of its own (hubd_…), which enrolling the machine gives, or joins by --join"
    ],
    ["hubj_", "a join key; give it with --join or HUB_JOIN_KEY"]
  ],
  "join key": [
    ["hub_", "an API key; a join key begins with hubj_"],
    ["hubd_", "a daemon's token; give it with --token-file or HUB_TOKEN"]
  ]
}

/** The secret of this kind, trimmed. Throws a `TypeError` without any part of it where it is none. */
export const daemonSecret = (kind: "token" | "join key", place: string, given: string): string => {
  const secret = headerSecret(`the ${kind} of ${place}`, given)
  const other = others[kind].find(([start]) => secret.startsWith(start))
  if (other !== undefined) throw new TypeError(`the ${kind} of ${place} is ${other[1]}`)
  return secret
}
