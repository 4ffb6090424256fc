/**
 * Does one peer hold the hub? Each attack of the review in turn beside regular load of other accounts, each against a
 * hub of its own with its published limits. Owns the rows' order, their hubs and how long each part takes.
 */

import { type BenchOptions, coreOfLoad, type Outcome } from "../fixture.ts"
import { type AttackName, attackNames, attacks } from "../siege/all.ts"
import type { Attack } from "../siege/attack.ts"
import { type Besieged, besiegedOf, inWords, kindOf, startBesieged } from "../siege/besieged.ts"
import { type RegularClient, startRegular } from "../siege/regular-client.ts"
import { playRow, type Row, type Times } from "../siege/row.ts"
import { brokenFigure, figuresOf, siegeTable } from "../siege/verdict.ts"
import { reasonOf, UsageError } from "../usage-error.ts"

const warmSeconds = 3
const afterSeconds = 10
/** Of an account: what the goals are for. */
const megabytesPerSecond = 20
const tinyTimes: Times = { warm: 0, before: 0.2, attack: 0.4, after: 0.1 }

/** Where a row is played: what is besieged, and the regular peers that are at work there. */
export interface AtWork {
  readonly site: Besieged
  readonly regular: RegularClient
}

/** Plays one row: at what is given, unless the attack needs another hub; else at one of its own. */
export const besiege = async (options: BenchOptions, name: AttackName, atWork?: AtWork): Promise<Row> => {
  const attack: Attack = attacks[name]
  const tiny = options.tiny === true
  const core = coreOfLoad(options)
  const play = (site: Besieged, regular: RegularClient): Promise<Row> => {
    const { seconds } = options
    const times = tiny ? tinyTimes : { warm: warmSeconds, before: seconds, attack: seconds, after: afterSeconds }
    const bytesPerSecond = (options.rate ?? megabytesPerSecond) * 1_000_000
    return playRow({ site, regular, tiny, core, bytesPerSecond, say: options.say }, name, times)
  }
  const given = attack.descriptors === undefined
  if (given && atWork !== undefined) return play(atWork.site, atWork.regular)
  options.say(`siege: ${name}, starting ${inWords(kindOf(options))}`)
  const site =
    given && options.hub !== undefined
      ? besiegedOf(options.hub)
      : await startBesieged(options, attack.descriptors?.(tiny))
  try {
    const regular = await startRegular(site, { tiny, logins: attack.logins === true, core })
    try {
      return await play(site, regular)
    } finally {
      await regular.stop()
    }
  } finally {
    await site.stop()
  }
}

/** Runs the scenario. */
export const siege = async (options: BenchOptions): Promise<Outcome> => {
  const rows: Array<Row> = []
  const unmeasured: Array<readonly [name: string, why: string]> = []
  const leftOut: Array<string> = []
  const kind = kindOf(options)
  for (const name of (options.only ?? attackNames) as ReadonlyArray<AttackName>)
    try {
      const attack: Attack = attacks[name]
      const cannot = attack.cannot?.(kind)
      if (cannot !== undefined) {
        leftOut.push(`${name} is left out: ${cannot}`)
        continue
      }
      const row = await besiege(options, name)
      rows.push(row)
      // a run that is interrupted has shown what it measured
      for (const line of siegeTable([row]).slice(1)) options.say(line)
    } catch (error) {
      // what is missing to measure at all is missing in every row
      if (error instanceof UsageError) throw error
      unmeasured.push([name, reasonOf(error)])
    }
  return {
    figures: [...rows.flatMap(figuresOf), ...unmeasured.map(([name]) => brokenFigure(name, 1))],
    notes: [
      `besieged: ${inWords(kind)}`,
      ...siegeTable(rows),
      ...leftOut,
      ...unmeasured.map(([name, why]) => `${name} was not measured: ${why}`)
    ]
  }
}
