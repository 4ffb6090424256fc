/**
 * Holds what was announced of one daemon, once it is gone, against what may have happened to it. Owns those rules; sees
 * no hub.
 */
import type { Announcement } from "./faulty-hub.ts"
import type { JudgedDaemon } from "./observed-daemon.ts"

/** What the duration of a time online and the times of its two announcements may differ by. */
const clocksMillisMax = 1_000

/** What is wrong in the end with what was told of one daemon. */
export const announcementsWrong = (
  daemon: JudgedDaemon,
  told: ReadonlyArray<Announcement>,
  began: number
): ReadonlyArray<string> => {
  const { name, times, history } = daemon
  const found: Array<string> = []
  const alternates = (some: ReadonlyArray<Announcement>): boolean =>
    some.every(({ event }, at) => event === (at % 2 === 0 ? "connect" : "disconnect"))
  if (!alternates(told)) found.push("committed out of turn")
  if (told.at(-1)?.event === "connect") found.push("not told gone")
  if (!alternates(told.toSorted((one, other) => one.timestamp - other.timestamp))) found.push("times out of turn")
  for (const [at, { event, payload, timestamp }] of told.entries()) {
    const lasted = timestamp - (told[at - 1]?.timestamp ?? 0)
    const said = Number(payload["connectedMs"])
    if (event === "disconnect" && Math.abs(said - lasted) > clocksMillisMax) {
      found.push(`a time online of ${said} ms that lasted ${lasted} ms`)
    }
  }
  const connects = told.filter(({ event }) => event === "connect").length
  if (!times.counts.includes(connects)) {
    found.push(`${connects} times online, where ${times.counts.join(" or ")} are possible`)
  }
  for (const { socket, code, node } of daemon.connections) {
    if (socket.readyState !== socket.CLOSED) found.push(`its connection to ${node} is still open`)
    else if (code !== undefined && !closeCodes.has(code)) found.push(`its connection to ${node} closed with ${code}`)
  }
  const said = told.map(({ event, payload, timestamp }) =>
    [Math.round(timestamp - began), event, payload["reason"]].join(" ")
  )
  return found.map((one) => `${name}: ${one}; told ${said.join(", ")}; ${history.join("; ")}`)
}

/** Replaced, ordered, restarting, and what a node answers whose store or time is short; 1006: its node was killed. */
const closeCodes: ReadonlySet<number> = new Set([1000, 1006, 1012, 4403, 4404, 4409, 4500, 4503])
