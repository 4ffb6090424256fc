/**
 * Which daemons a search means, and in which order they are shown. Owns what is looked at, for those that are
 * connected; src/store/daemons/found-daemons.ts says the same in SQL for the others, of which no agents are known.
 */

import { findKeyCharsMax } from "../../limits/daemon-api.ts"
import { cutToChars } from "../text/truncate.ts"
import { agentState } from "./agent-status.ts"
import type { Selector } from "./selector.ts"
import { matches } from "./selector.ts"
import type { Snapshot } from "./snapshot.ts"
import { tagsOf } from "./tags.ts"

/** What a search may ask for: of whether it is connected, or of what an agent of it does. */
export const daemonStatuses = ["online", "offline", "waiting", "generating", "error"] as const
export type DaemonStatusAsked = (typeof daemonStatuses)[number]

/** The orders of what is found: by hostname, the one seen last first, by version. */
export const daemonOrders = ["name", "lastSeen", "version"] as const
export type DaemonOrder = (typeof daemonOrders)[number]

export interface DaemonFilter {
  /** All of these, in lower case, are somewhere in its names, its id, platform, version, tags or agents. */
  readonly words: ReadonlyArray<string>
  readonly status: DaemonStatusAsked | undefined
  readonly selector: Selector
  /** One of these; undefined: any. */
  readonly ids: ReadonlySet<string> | undefined
}

/** The words of a query. */
export const wordsOf = (query: string): ReadonlyArray<string> => query.toLowerCase().split(/\s+/u).filter(Boolean)

// made when it is first searched, and gone with its snapshot: a report that is never searched costs nothing
const texts = new WeakMap<Snapshot, string>()

const textOf = (snapshot: Snapshot): string => {
  const known = texts.get(snapshot)
  if (known !== undefined) return known
  const { daemonId, hostname, nickname, platform, version, sessions } = snapshot
  const tags = Object.entries(tagsOf(snapshot)).map(([key, value]) => `${key}=${value}`)
  const agents = sessions.flatMap(({ providerType, providerName = "" }) => [providerType, providerName])
  const text = [daemonId, hostname, nickname, platform, version, ...tags, ...new Set(agents)].join("\n").toLowerCase()
  texts.set(snapshot, text)
  return text
}

const statesOf = { waiting: "waiting_approval", generating: "generating", error: "error" } as const

/** Whether a daemon that is connected is meant. */
export const isFound = ({ words, status = "online", selector, ids }: DaemonFilter, snapshot: Snapshot): boolean => {
  if (status === "offline" || ids?.has(snapshot.daemonId) === false) return false
  const isDoing =
    status === "online" || snapshot.sessions.some((session) => agentState(session.status) === statesOf[status])
  return isDoing && matches(selector, snapshot) && words.every((word) => textOf(snapshot).includes(word))
}

const timeDigits = 16
const timeMax = 9_000_000_000_000_000

/** By what it is put in order: as texts, then by id. */
export const orderKey = (order: DaemonOrder, { hostname, version, lastSeenAt = 0 }: Snapshot): string => {
  if (order === "lastSeen") return `${timeMax - lastSeenAt}`.padStart(timeDigits, "0")
  return cutToChars(order === "version" ? version : hostname, findKeyCharsMax)
}
