/** Well-formed keys that do not exist, each asked for once, from addresses that are not yet at their limit. */
import { randomInt } from "node:crypto"
import { crc32 } from "node:zlib"
import { requestText } from "../fixture.ts"
import { Connection } from "../load/open-loop.ts"
import { type Attack, attackerAddress } from "./attack.ts"
import { named } from "./attacker-daemons.ts"

const callers = 64
const callsOfAddress = 55
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secretChars = 30
const checkChars = 6

/** A key with a good check sum. */
const unknownKey = (): string => {
  const secret = Array.from({ length: secretChars }, () => digits[randomInt(digits.length)]).join("")
  let check = ""
  for (let rest = crc32(secret); check.length < checkChars; rest = Math.floor(rest / digits.length))
    check = digits[rest % digits.length] + check
  return `hub_${secret}${check}`
}

/** From many addresses. */
export const badCredentials: Attack = {
  finding: "held",
  asks: `unknown keys, ${callers} callers that ask again at once, a new address each ${callsOfAddress} calls`,
  strike: async ({ url, tiny, over, ended, reach }) => {
    const statuses: Record<string, number> = {}
    let addresses = 0
    const open = new Set<Connection>()
    const call = (): void => {
      const connection = new Connection(url, attackerAddress(addresses++))
      open.add(connection)
      const next = (turn: number): void => {
        if (over()) return
        if (turn >= callsOfAddress) {
          connection.close()
          open.delete(connection)
          return call()
        }
        const headers = { authorization: `Bearer ${unknownKey()}` }
        connection.ask(requestText(url.origin, { method: "GET", path: "/api/v1/daemons", headers }), (status) => {
          statuses[status] = (statuses[status] ?? 0) + 1
          if (status !== "lost") reach()
          setImmediate(next, turn + 1)
        })
      }
      next(0)
    }
    for (let caller = 0; caller < (tiny ? 4 : callers); caller++) call()
    await ended
    for (const connection of open) connection.close()
    return { addresses, ...named(statuses) }
  }
}
