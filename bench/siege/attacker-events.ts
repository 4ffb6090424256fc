/** Events of an attacker's daemons as texts of frames. Owns their ids. */
import { randomBytes } from "node:crypto"

let events = 0

/** An event as a frame's text. */
export const eventText = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ type: "status_event", data: { id: `siege${events++}`, timestamp: Date.now(), ...fields } })

/** Text that does not compress. */
export const noise = (chars: number): string => randomBytes(chars).toString("base64").slice(0, chars)
