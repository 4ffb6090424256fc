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

/** The list after an event. */
export const afterEvent = (daemons: ReadonlyArray<Daemon>, { event, payload }: HubEvent): ReadonlyArray<Daemon> => {
  if (event === "daemon:connect") {
    const { daemonId: id, timestamp, hostname, nickname, platform, version } = payload
    const facts = { hostname, nickname, platform, version, online: true, connectedAt: timestamp, lastSeenAt: timestamp }
    const known = daemons.find((one) => one.id === id)
    const empty = { id, tags: {}, cdpConnected: false, ides: [], clis: [], acps: [] }
    return placed(daemons, { ...(known ?? empty), ...facts })
  }
  if (event === "daemon:disconnect") {
    const { daemonId: id, timestamp } = payload
    const known = daemons.find((one) => one.id === id)
    return known === undefined ? daemons : placed(daemons, { ...known, online: false, lastSeenAt: timestamp })
  }
  return daemons
}
