/**
 * Requests and sockets of a million distinct addresses: told by balancers that the hub trusts, or, behind a proxy, from
 * ever new addresses of 127.0.0.0/8. Beside them one address that is not trusted says each time that it is another.
 */
import type { Socket } from "node:net"
import { dial, whenOpen } from "../load/dial.ts"
import { countAnswers } from "./answers.ts"
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { addressGroups, addressOf } from "./site.ts"

const addresses = 1_000_000
const tinyAddresses = 2_000
const connections = 24
/** Requests on one connection that wait for their answers. */
const batch = 100
/** Every so many requests one asks for a daemon's socket. */
const socketEvery = 10
const forgeMillis = 100
/** What one address may ask in any minute; a forged header must not raise it. */
const perMinute = 60
const refused = "429"
const againMillis = 20

interface Tally {
  asked: number
  answered: number
  refused: number
  /** Connections that the hub closed before it had answered. */
  closed: number
  forged: number
  forgedServed: number
}

/** The nth client: an address of 10.0.0.0/8, or a network of 2001:db8::/32. */
const claimOf = (at: number): string =>
  at % 2 === 0
    ? `10.${(at >> 17) & 255}.${(at >> 9) & 255}.${(at >> 1) & 255}`
    : `2001:db8:${(at >> 16).toString(16)}:${(at & 0xffff).toString(16)}::1`

const requestOf = (host: string, at: number): string => {
  const [path, more] =
    at % socketEvery === 0
      ? ["/api/v1/daemons/connect", "upgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\n"]
      : ["/siege", ""]
  return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nx-forwarded-for: ${claimOf(at)}\r\n${more}\r\n`
}

/** Sends requests behind one another and ends when all are answered, or the connection has. */
const exchange = (target: Target, socket: Socket, count: number, next: () => string, tally: Tally): Promise<boolean> =>
  new Promise((done) => {
    let answered = 0
    const read = countAnswers((status) => {
      answered++
      tally.answered++
      if (status === refused) tally.refused++
      target.reach()
      if (answered === count) end(true)
    })
    const closed = (): void => end(false)
    const end = (whole: boolean): void => {
      socket.off("data", read).off("close", closed)
      done(whole)
    }
    socket.on("data", read).on("close", closed)
    tally.asked += count
    socket.write(Array.from({ length: count }, next).join(""))
  })

/** A connection that asks batch after batch; `from` chooses the address of each connection. */
const asking = async (target: Target, from: () => string, next: () => string, left: () => number, tally: Tally) => {
  const keeps = target.kind.behind === undefined
  // several nodes ask Redis for each, and what stands behind a request that waits ends its connection
  const each = keeps && target.kind.nodes === 1 ? batch : 1
  while (!target.over() && left() > 0) {
    const socket = dial(target.url, from())
    socket.on("error", () => socket.destroy())
    void target.ended.then(() => socket.destroy())
    let whole = true
    do whole = await exchange(target, socket, Math.min(each, left()), next, tally)
    while (whole && keeps && !target.over() && left() > 0)
    socket.destroy()
    if (whole || target.over()) continue
    tally.closed++
    await new Promise((go) => setTimeout(go, againMillis))
  }
}

/** One address that nothing trusts, which says each time that it is another. */
const forging = async (target: Target, tally: Tally): Promise<void> => {
  const socket = dial(target.url, attackerAddress(0))
  socket.on("error", () => socket.destroy())
  let timer: NodeJS.Timeout | undefined
  const read = countAnswers((status) => {
    if (status !== refused) tally.forgedServed++
  })
  socket.on("data", read)
  whenOpen(socket, () => {
    timer = setInterval(() => {
      if (socket.destroyed) return
      socket.write(
        `GET /siege HTTP/1.1\r\nhost: ${target.url.host}\r\nx-forwarded-for: ${claimOf(tally.forged++)}\r\n\r\n`
      )
    }, forgeMillis)
  })
  await target.ended
  clearInterval(timer)
  socket.destroy()
}

/** As many as there are, or as the time allows. */
export const millionAddresses: Attack = {
  finding: "many addresses",
  asks: `requests and sockets of ${addresses} distinct addresses, each once, on ${connections} connections`,
  secondsMax: 120,
  strike: async (target) => {
    const count = target.tiny ? tinyAddresses : addresses
    const tally: Tally = { asked: 0, answered: 0, refused: 0, closed: 0, forged: 0, forgedServed: 0 }
    const began = performance.now()
    let claimed = 0
    let dialled = 0
    const next = (): string => requestOf(target.url.host, claimed++)
    // a proxy says itself where a connection comes from: there each address is a connection's own
    const group = (): number => addressGroups.crowd + (Math.floor(dialled / 62_500) % 200)
    const from = (): string =>
      target.kind.behind === undefined
        ? addressOf(addressGroups.balancers, dialled++ % connections)
        : addressOf(group(), dialled++ % 62_500)
    void forging(target, tally)
    const askers = target.tiny ? 4 : connections
    await Promise.all(Array.from({ length: askers }, () => asking(target, from, next, () => count - claimed, tally)))
    const minutes = Math.ceil((performance.now() - began) / 60_000)
    return { ...tally, minutes }
  },
  judge: ({ forgedServed = 0, minutes = 1 }) =>
    forgedServed <= perMinute * (minutes + 1)
      ? undefined
      : `one address was served ${forgedServed} times in ${minutes} min: its forged header chose its bucket`
}
