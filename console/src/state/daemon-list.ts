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

/** Those online first, then by name. */
export const ordered = (daemons: ReadonlyArray<Daemon>): ReadonlyArray<Daemon> =>
  [...new Map(daemons.map((one) => [one.id, one])).values()]
    .sort((a, b) => Number(b.online) - Number(a.online) || nameOf(a).localeCompare(nameOf(b)) || (a.id < b.id ? -1 : 1))
    .slice(0, daemonsShownMax)

const change = (daemons: ReadonlyArray<Daemon>, id: string, to: (one: Daemon) => Daemon): ReadonlyArray<Daemon> =>
  daemons.map((one) => (one.id === id ? to(one) : one))

/** Whether an event is of a daemon that the list has not: only the hub knows its tags. */
export const bringsUnknown = (daemons: ReadonlyArray<Daemon>, { event, payload }: HubEvent): boolean =>
  event === "daemon:connect" && !daemons.some(({ id }) => id === payload.daemonId)

/** The list after an event. */
export const afterEvent = (daemons: ReadonlyArray<Daemon>, { event, payload }: HubEvent): ReadonlyArray<Daemon> => {
  if (event === "daemon:connect") {
    const { daemonId: id, timestamp, hostname, nickname, platform, version } = payload
    const facts = { hostname, nickname, platform, version, online: true, connectedAt: timestamp, lastSeenAt: timestamp }
    if (daemons.some((one) => one.id === id)) return ordered(change(daemons, id, (one) => ({ ...one, ...facts })))
    return ordered([{ id, tags: {}, cdpConnected: false, ides: [], clis: [], acps: [], ...facts }, ...daemons])
  }
  if (event === "daemon:disconnect") {
    const { daemonId: id, timestamp } = payload
    return ordered(change(daemons, id, (one) => ({ ...one, online: false, lastSeenAt: timestamp })))
  }
  return daemons
}
