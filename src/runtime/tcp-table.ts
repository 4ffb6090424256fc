/**
 * Counts the connections to a port of this computer per user, from the system's own table (Linux). Owns the parsing of
 * that table; other systems have none.
 */
import { readFile } from "node:fs/promises"

const tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"]
const listening = "0A"
const mapped = "0000000000000000FFFF0000"
const networkChars = 16
/** Columns between the state and the user: the queues, the timer, the retransmissions. */
const columnsBeforeUser = 41

/** Four bytes of an address; the table shows them as a number in host byte order. */
const bytesOf = (word: string): ReadonlyArray<string> => {
  const bytes = word.match(/../gu) ?? []
  return littleEndian ? bytes.reverse() : bytes
}
const littleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

const v4 = (word: string): string =>
  bytesOf(word)
    .map((byte) => Number.parseInt(byte, 16))
    .join(".")

/** What counts as one address: the /64 of an IPv6 one, as a single caller has all of it. */
const networkOf = (hex: string): string =>
  hex.length === 8 || hex.startsWith(mapped) ? hex.slice(-8) : hex.slice(0, networkChars)

/** Its text, as client-address.ts writes it. */
const textOf = (network: string): string => {
  if (network.length === 8) return v4(network)
  const bytes = (network.match(/.{8}/gu) ?? []).flatMap(bytesOf).join("")
  const groups = (bytes.match(/.{4}/gu) ?? []).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(":")}::/64`
}

/** Whether the third word from here on is a plain 0. */
const hasNoInode = (table: string, from: number): boolean => {
  let at = from
  for (let word = 0; word < 2; word++) {
    while (table[at] === " ") at++
    while (table[at] !== " " && at < table.length) at++
  }
  while (table[at] === " ") at++
  return table[at] === "0" && table[at + 1] === " "
}

/**
 * Counts the connections of a process to this port, by remote address. It reads by column and splits no line: the table
 * may have tens of thousands.
 */
export const peersIn = (table: string, port: number): ReadonlyMap<string, number> => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")} `
  const found = new Map<string, number>()
  for (let line = table.indexOf("\n") + 1; line > 0 && line < table.length; line = table.indexOf("\n", line) + 1) {
    const own = table.indexOf(": ", line) + 2
    const ownEnd = table.indexOf(":", own)
    if (!table.startsWith(local, ownEnd)) continue
    const other = ownEnd + local.length
    const state = other + (ownEnd - own) + local.length
    // A line without an inode belongs to no process: not accepted yet, or closed.
    if (table.startsWith(listening, state) || hasNoInode(table, state + columnsBeforeUser)) continue
    const network = networkOf(table.slice(other, other + (ownEnd - own)))
    found.set(network, (found.get(network) ?? 0) + 1)
  }
  return new Map([...found].map(([network, count]) => [textOf(network), count]))
}

/** The connections to this port per remote address; undefined where the system does not tell. */
export const tcpPeers = async (port: number): Promise<ReadonlyMap<string, number> | undefined> => {
  const all = new Map<string, number>()
  let read = false
  for (const file of tables) {
    const table = await readFile(file, "latin1").catch(() => undefined)
    if (table === undefined) continue
    read = true
    for (const [address, count] of peersIn(table, port)) all.set(address, (all.get(address) ?? 0) + count)
  }
  return read ? all : undefined
}
