/** The list of daemons and what events change in it. Pure; owns its order and its bound. */
import type { Output } from "@hub/client"
import { daemonsShownMax } from "../limits.ts"
import type { HubEvent } from "./live-events.ts"

/** A daemon as the list has it. */
export type Daemon = Output<"daemons.list">["daemons"][number]

/** What it is called. */
export const nameOf = ({ nickname, hostname }: Pick<Daemon, "nickname" | "hostname">): string =>
  nickname === "" ? hostname : nickname

/** Its tags as a selector names them. */
export const tagWords = (tags: Daemon["tags"]): string =>
  Object.entries(tags)
    .map(([key, value]) => (value === "" ? key : `${key}=${value}`))
    .join(", ")

/** Who says where a daemon belongs that comes or goes: the event of it, or only the hub. */
export type Order = "by event" | "by hub"

/**
 * The list once its first page was read anew: what was shown behind the last of its rows stays, or a reader who has
 * scrolled down would be at the top again with each change. By event what was online stays too: where it has gone
 * behind the page, the event of that is to come.
 */
export const withFirstPage = (
  shown: ReadonlyArray<Daemon>,
  page: ReadonlyArray<Daemon>,
  order: Order
): ReadonlyArray<Daemon> => {
  const ids = new Set(page.map(({ id }) => id))
  const places = new Map(shown.map(({ id }, at) => [id, at]))
  const last = page.findLast(({ id }) => places.has(id))
  if (last === undefined) return page
  const end = places.get(last.id)!
  const stays = ({ online }: Daemon, at: number): boolean => at > end || (online && order === "by event")
  return [...page, ...shown.filter((one, at) => !ids.has(one.id) && stays(one, at))].slice(0, daemonsShownMax)
}

/** More of the same list, each once, in the order of the hub. */
export const joinedDaemons = (shown: ReadonlyArray<Daemon>, more: ReadonlyArray<Daemon>): ReadonlyArray<Daemon> =>
  [...new Map([...shown, ...more].map((one) => [one.id, one])).values()].slice(0, daemonsShownMax)

const names = new Intl.Collator()
const order = (a: Daemon, b: Daemon): number =>
  Number(b.online) - Number(a.online) || names.compare(nameOf(a), nameOf(b)) || (a.id < b.id ? -1 : 1)

/** The list with one daemon in its place: those online first, then by name. The others stay as they are. */
const placed = (daemons: ReadonlyArray<Daemon>, one: Daemon): ReadonlyArray<Daemon> => {
  const others = daemons.filter(({ id }) => id !== one.id)
  let [from, to] = [0, others.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (order(others[middle]!, one) < 0) from = middle + 1
    else to = middle
  }
  others.splice(from, 0, one)
  return others.length > daemonsShownMax ? others.slice(0, daemonsShownMax) : others
}

/** Whether an event is of a daemon that the list has not: only the hub knows its tags. */
export const bringsUnknown = (daemons: ReadonlyArray<Daemon>, { event, payload }: HubEvent): boolean =>
  event === "daemon:connect" && !daemons.some(({ id }) => id === payload.daemonId)

/** A daemon after an event that is about it; undefined: the event says nothing of what the list shows. */
const changed = (known: Daemon | undefined, { event, payload }: HubEvent): Daemon | undefined => {
  if (event === "daemon:connect") {
    const { daemonId: id, timestamp, hostname, nickname, platform, version } = payload
    const facts = { hostname, nickname, platform, version, online: true, connectedAt: timestamp, lastSeenAt: timestamp }
    const empty = { id, tags: {}, cdpConnected: false, ides: [], clis: [], acps: [] }
    return { ...(known ?? empty), ...facts }
  }
  if (event !== "daemon:disconnect" || known === undefined) return undefined
  return { ...known, online: false, lastSeenAt: payload.timestamp }
}

/** The list after an event. Where only the hub says the order, a daemon that is shown stays where it is. */
export const afterEvent = (
  daemons: ReadonlyArray<Daemon>,
  event: HubEvent,
  order: Order = "by event"
): ReadonlyArray<Daemon> => {
  if (event.event !== "daemon:connect" && event.event !== "daemon:disconnect") return daemons
  const { daemonId } = event.payload
  const at = daemons.findIndex(({ id }) => id === daemonId)
  const one = changed(daemons[at], event)
  if (one === undefined) return daemons
  if (order === "by event") return placed(daemons, one)
  return at < 0 ? daemons : daemons.with(at, one)
}
