/**
 * Many daemons that come back to whichever node listens, cheap enough for thousands. Owns where they go next and when;
 * knows no node but its address.
 */
import { LightDaemon, type Tally } from "../../bench/fleet/light-daemon.ts"
import { Random } from "../../bench/fuzz/random.ts"
import { until } from "./until.ts"

/** The daemons. */
export interface Roamers {
  readonly online: () => number
  /** Where one of them was last accepted. */
  readonly at: (member: number) => string
  readonly tally: Tally
  /** From now on they dial these nodes, one after the other; with none they stay away until there are some. */
  readonly turnTo: (urls: ReadonlyArray<string>) => void
  /** All say goodbye and stay away. */
  readonly leave: () => void
  /** All break off for good. */
  readonly stop: () => void
}

const restarting = 1012
const replaced = 4409
const backMillis = 50
/** After a connection that came to nothing: another node is tried. */
const anotherMillis = 100

/** Connects a daemon for each token, the first to the first address, the next to the next. */
export const startRoamers = async (urls: ReadonlyArray<string>, tokens: ReadonlyArray<string>): Promise<Roamers> => {
  let nodes = urls
  const tally: Tally = { commands: 0, events: 0, acks: 0, reports: 0, policies: 0, breaks: 0, closes: {} }
  const random = new Random(1, "reconnecting fleet", 0)
  const arrivals: Array<string> = []
  let online = 0
  let over = false

  const away = new Set<LightDaemon>()
  const again = (member: LightDaemon, millis: number): void =>
    void setTimeout(() => {
      if (over) return
      if (nodes.length === 0) away.add(member)
      else member.open()
    }, millis)

  const members = tokens.map((token, at) => {
    let next = at
    const context = {
      host: "127.0.0.1",
      get port() {
        return Number(new URL(nodes[next++ % nodes.length]!).port)
      },
      path: "/api/v1/daemons/connect",
      from: () => undefined,
      tally,
      arrived: (member: LightDaemon) => {
        online++
        arrivals[at] = nodes[(next - 1) % nodes.length]!
        member.report()
      },
      gone: (member: LightDaemon, code: number, wasOnline: boolean) => {
        if (wasOnline) {
          online--
          tally.closes[code] = (tally.closes[code] ?? 0) + 1
        }
        const usual = wasOnline ? backMillis : anotherMillis
        const millis = random.between(usual / 2, usual + usual / 2)
        if (code !== replaced) again(member, Math.max(member.awayMillis, millis))
      },
      sentAway: (member: LightDaemon, millis: number) => {
        const { life } = member
        setTimeout(() => {
          if (member.online && member.life === life) member.leave(false, restarting)
        }, millis)
      }
    }
    return new LightDaemon(context, token, "idle")
  })
  for (const [at, member] of members.entries()) setTimeout(() => member.open(), at)
  await until("all daemons are online", () => online === members.length)
  return {
    online: () => online,
    at: (member) => arrivals[member]!,
    tally,
    turnTo: (some) => {
      nodes = some
      for (const member of away) again(member, random.below(backMillis))
      away.clear()
    },
    leave: () => {
      over = true
      for (const member of members) member.leave()
    },
    stop: () => {
      over = true
      for (const member of members) member.leave(true)
    }
  }
}
