/**
 * Which session an event of a daemon is about: the one it names, else the only one that its words fit. Owns that
 * choice, and which events are never sent without one. event-payload.ts says what of it goes out.
 */
import type { StatusEvent } from "../../protocol/frames.ts"
import { departedSessions, type KnownSession, knownSession, type SessionMemory } from "../daemon/session-memory.ts"
import type { Snapshot } from "../daemon/snapshot.ts"
import { agentsOf, sessionOf } from "../daemon/target-resolution.ts"
import { daemonType, type RelayedEvent } from "./events.ts"

/** The last events of a turn or a session: they always name it. */
const lastEvents: ReadonlySet<RelayedEvent> = new Set(["agent:generating_completed", "agent:stopped"])

/** Whether an event may go out: it names its session, or need not. */
export const maySend = (event: RelayedEvent, session: EventSession): boolean =>
  session !== undefined || !lastEvents.has(event)

/** The session of an event, as far as it is known. */
export type EventSession = (Pick<KnownSession, "id"> & Partial<KnownSession>) | undefined
type About = NonNullable<EventSession>

/** The provider that an event names. Some daemons name their own kind there, which says nothing. */
export const providerOfEvent = ({ providerType }: StatusEvent): string | undefined =>
  providerType === daemonType || providerType === "" ? undefined : providerType

const fits = (given: StatusEvent, session: Partial<KnownSession>): boolean => {
  const provider = providerOfEvent(given)
  const { providerSessionId } = given
  return (
    (provider === undefined || session.providerType === undefined || provider === session.providerType) &&
    (!providerSessionId || session.providerSessionId === undefined || providerSessionId === session.providerSessionId)
  )
}

/** The session; of one that is only named, or was only heard of, nothing but its id is known. */
export const sessionOfEvent = (
  snapshot: Snapshot,
  memory: SessionMemory,
  event: RelayedEvent,
  given: StatusEvent,
  now: number
): EventSession => {
  const departed = departedSessions(memory, now)
  const byId = (id: string): About => {
    const session = sessionOf(snapshot, id)
    return session === undefined ? (departed.find((one) => one.id === id) ?? { id }) : knownSession(snapshot, session)
  }
  const named = given.targetSessionId
  if (named !== undefined && named !== "") return byId(named)
  const present = agentsOf(snapshot).filter((session) => fits(given, session))
  if (!lastEvents.has(event)) return present.length === 1 ? byId(present[0]!.id) : undefined
  const gone = departed.filter((session) => fits(given, session))
  if (present.length + gone.length === 1) return byId((present[0] ?? gone[0])!.id)
  const last = memory.generating === undefined ? undefined : byId(memory.generating)
  return last !== undefined && fits(given, last) ? last : undefined
}
