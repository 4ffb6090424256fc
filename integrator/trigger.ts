/**
 * `hub trigger EVENT`: has the hub send a real event, by a daemon that is connected for it. Owns what makes each event
 * happen; ends once the live stream has shown it. The test of a webhook is webhook-test.ts's.
 */
import { createClient, Refused } from "../client/src/index.ts"
import { ArgumentError } from "../src/cli/arguments.ts"
import { relayedEvents } from "../src/domain/event/events.ts"
import { connectDemoDaemon, type DemoDaemon } from "./demo-daemon.ts"
import { follow, type PlacedEvent } from "./follow.ts"
import { type Profile, ProfileStore, secretOf, usualProfile } from "./profiles.ts"
import { Refusal, refusing } from "./refusal.ts"
import { signedIn } from "./sign-in.ts"
import type { Terminal } from "./terminal.ts"
import { shownOnce } from "./verbs.ts"

/** As long as two events of `agent:status` are apart, and some. */
const waitMillisMax = 20_000

const daemonName = "hub trigger"

/** The events that can be made. */
export const triggerable = [
  "daemon:connect",
  "daemon:disconnect",
  "agent:status",
  ...relayedEvents,
  "command:completed"
] as const
type Triggerable = (typeof triggerable)[number]

const prompt = { promptId: "prompt-1", modalMessage: "Run `npm test`?", modalButtons: ["Allow", "Deny"] }
const more: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "agent:generating_completed": { duration: 8 },
  "agent:waiting_approval": prompt,
  "agent:waiting_choice": prompt,
  "monitor:no_progress": { elapsedSec: 300 }
}

/** Makes the event happen. Connecting has already made `daemon:connect`. */
const happen = async (event: Triggerable, daemon: DemoDaemon, { url, key }: Profile): Promise<void> => {
  daemon.report("idle")
  if (event === "daemon:connect") return
  if (event === "daemon:disconnect") return daemon.leave()
  if (event === "agent:status") return daemon.report("generating")
  if (event !== "command:completed") return daemon.event(event, more[event] ?? {})
  const client = createClient({ url, credential: key })
  const input = { daemonId: daemon.daemonId, command: "true" }
  await refusing(url, client.daemons.terminal(input, { respondAsync: true }))
  await daemon.answerCommand()
}

const isOf = ({ data }: PlacedEvent, event: string, daemonId: string): boolean =>
  data.event === event && (data.payload as { readonly daemonId?: string }).daemonId === daemonId

/** How long after it left its daemon is removed: a fleet keeps none of them. */
const removeAfterMinutes = 1

const isUnknown = (error: unknown): boolean => error instanceof Refused && error.reason === "AUTH_INVALID"

/** A daemon by the saved join key; undefined where there is none, or it was revoked. */
const joined = async ({ url, triggerKey }: Profile): Promise<string | undefined> => {
  if (triggerKey === undefined) return undefined
  const call = createClient({ url, credential: triggerKey }).joinKeys.join({
    name: daemonName,
    hostname: "hub-trigger"
  })
  const answer = await refusing(
    url,
    call.catch((error: unknown) => (isUnknown(error) ? undefined : Promise.reject(error)))
  )
  return answer?.token
}

/**
 * The token of the demonstration's daemon: given, or of a daemon that joins for this one event. Its owner signs in
 * where there is no join key yet.
 */
const tokenOf = async (profile: Profile, name: string | undefined, environment: Environment, terminal: Terminal) => {
  const given = environment["HUB_TOKEN"] ?? profile.daemonToken
  if (given !== undefined) return secretOf("the daemon's token", given)
  const again = await joined(profile)
  if (again !== undefined) return again
  const purpose = {
    to: "let hub trigger connect a daemon of its own, once,",
    instead: "give a daemon's token: hub login --daemon-token, or HUB_TOKEN"
  }
  const store = new ProfileStore(environment)
  const place = name ?? usualProfile
  const saved = store.get(place)
  const { url, key } = profile
  return signedIn(profile, purpose, { environment, terminal }, async (client) => {
    const made = await refusing(url, client.joinKeys.create({ name: daemonName, removeAfterMinutes }, shownOnce))
    const token = await joined({ ...profile, triggerKey: made.key })
    if (token === undefined) throw new Refusal("the hub gave no token")
    if (saved?.url === url && saved.key === key) store.set(place, { ...saved, triggerKey: made.key })
    else await refusing(url, client.joinKeys.remove({ joinKeyId: made.id }))
    return token
  })
}

type Environment = Readonly<Record<string, string | undefined>>

const isTriggerable = (event: string): event is Triggerable => (triggerable as ReadonlyArray<string>).includes(event)

/** Has the event happen, and prints it as the live stream sends it. */
export const trigger = async (
  profile: Profile,
  name: string | undefined,
  event: string,
  environment: Environment,
  terminal: Terminal
): Promise<void> => {
  if (!isTriggerable(event))
    throw new ArgumentError(`EVENT is one of ${triggerable.join(", ")}, webhook:test, not ${event}`)
  const token = await tokenOf(profile, name, environment, terminal)
  const done = new AbortController()
  const late = setTimeout(() => done.abort(), waitMillisMax)
  const signal = AbortSignal.any([terminal.signal, done.signal])
  const seen: Array<PlacedEvent> = []
  let daemon: DemoDaemon | undefined
  let begun = false
  const begin = async (): Promise<void> => {
    daemon = await connectDemoDaemon(profile.url, token)
    await happen(event, daemon, profile)
  }
  let failed: unknown
  const opened = (): void => {
    if (begun) return
    begun = true
    begin().catch((error: unknown) => {
      failed = error
      done.abort()
    })
  }
  const look = (item: PlacedEvent): void => {
    // the daemon's id is known by the time that any event of it comes, but for its connect
    if (daemon === undefined ? item.data.event === event : isOf(item, event, daemon.daemonId)) {
      seen.push(item)
      done.abort()
    }
  }
  try {
    const following = { events: [event], daemons: [], after: undefined }
    await follow(profile, following, { ...terminal, signal }, look, opened)
  } finally {
    clearTimeout(late)
    await daemon?.leave()
  }
  if (failed !== undefined) throw failed
  const [item] = seen
  if (item === undefined && !terminal.signal.aborted)
    throw new Refusal(`${event} did not come within ${waitMillisMax / 1_000} s`)
  if (item !== undefined) terminal.sayJson(item.data)
}
