/** H3: results of 8 MiB, 20 at once: one whose members have 99,000 distinct names, and one text of lone surrogates. */

import type { Attack } from "./attack.ts"
import { askAgain, type DaemonTally, keepDaemons, named } from "./attacker-daemons.ts"
import { resultText } from "./daemon-socket.ts"

const atOnce = 20
const callsOfKey = 120
const resultBytes = 8_300_000
const tinyBytes = 400_000
const names = 99_000

const memberNames = (tiny: boolean): string => {
  const count = tiny ? names / 20 : names
  const chars = Math.floor((tiny ? tinyBytes : resultBytes) / count) - 5
  return `{${Array.from({ length: count }, (_, at) => `"${String(at).padStart(chars, "k")}":0`).join(",")}}`
}

const surrogates = (tiny: boolean): string => {
  const one = "\\ud800"
  return `"${one.repeat(Math.floor((tiny ? tinyBytes : resultBytes) / one.length))}"`
}

const from = (asks: string, make: (tiny: boolean) => string): Attack => ({
  finding: "H3",
  asks: `${atOnce} commands at once, each answered with 8 MiB: ${asks}`,
  holds: () => ({ plan: "free", keys: 1, daemons: 1 }),
  strike: async (target) => {
    const [result, tally] = [make(target.tiny), { online: 0, closed: 0 } satisfies DaemonTally]
    const { keys = [], daemons = [] } = target.holder ?? {}
    const ask = () => ({
      method: "POST",
      path: `/api/v1/daemons/${daemons[0]?.daemonId}/command`,
      headers: { authorization: `Bearer ${keys[0]}`, "content-type": "application/json" },
      body: '{"type":"read_chat","payload":{}}'
    })
    let asking: Promise<Record<string, number>> | undefined
    let results = 0
    const command = (id: string, socket: { send: (texts: ReadonlyArray<string>) => boolean }): void => {
      results++
      target.reach()
      socket.send([resultText(id, result)])
    }
    await keepDaemons(target, tally, { command }, () => {
      asking ??= askAgain(target, target.tiny ? 4 : atOnce, ask, callsOfKey / atOnce)
    })
    const statuses = (await asking) ?? {}
    return { results, ...tally, ...named(statuses) }
  }
})

/** Distinct names. */
export const resultNames: Attack = from("99,000 distinct member names", memberNames)
/** Lone surrogates. */
export const resultSurrogates: Attack = from("lone surrogates", surrogates)
