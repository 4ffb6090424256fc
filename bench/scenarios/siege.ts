/**
 * Does one peer hold the hub? Each attack of the review in turn beside regular load of other accounts, each against a
 * hub of its own with its published limits. Owns the rows' order, their hubs and how long each part takes.
 */

import { type BenchOptions, coreOfLoad, coreOfServer, type Outcome } from "../fixture.ts"
import { freePort } from "../servers/free-port.ts"
import { type BenchHub, startHub } from "../servers/hub.ts"
import { startPostgres } from "../servers/postgres.ts"
import { type AttackName, attackNames, attacks } from "../siege/all.ts"
import type { Attack } from "../siege/attack.ts"
import { type RegularClient, startRegular } from "../siege/regular-client.ts"
import { playRow, type Row, type Times } from "../siege/row.ts"
import { brokenFigure, figuresOf, siegeTable } from "../siege/verdict.ts"
import { reasonOf, UsageError } from "../usage-error.ts"

/** What is published, and what loopback receivers need; a hub of an older revision knows all of it. */
export const publishedLimits = {
  HUB_RATE_KEY_PER_MINUTE: "120",
  HUB_RATE_IP_PER_MINUTE: "60",
  HUB_CONNECTS_PER_SECOND: "1000",
  HUB_LOG_LEVEL: "info",
  HUB_DRAIN: "100ms",
  HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8"
}

const warmSeconds = 3
const afterSeconds = 10
const tinyTimes: Times = { warm: 0, before: 0.2, attack: 0.4, after: 0.1 }

/** A hub for one row, and what ends it. */
const startBesieged = async (options: BenchOptions, descriptors: number | undefined, inspector: number | undefined) => {
  const postgres = options.database === "postgres" ? await startPostgres() : undefined
  const core = coreOfServer(options)
  const inspected = inspector === undefined ? [] : [`--inspect=127.0.0.1:${inspector}`, "--inspect-publish-uid=http"]
  try {
    const hub = await startHub({
      settings: {
        ...publishedLimits,
        ...(postgres === undefined ? {} : { DATABASE_URL: postgres.url }),
        ...options.settings
      },
      nodeArguments: [...(options.nodeArguments ?? []), ...inspected],
      silent: true,
      ...(core === undefined ? {} : { core }),
      ...(descriptors === undefined ? {} : { descriptors }),
      ...(options.checkout === undefined ? {} : { checkout: options.checkout })
    })
    const stop = async (): Promise<void> => {
      await hub.stop()
      await postgres?.stop()
    }
    return { hub, stop }
  } catch (error) {
    await postgres?.stop()
    throw error
  }
}

/**
 * Plays one row: at the hub that is given, with the regular peers that are at work there, unless the attack needs
 * another one.
 */
export const besiege = async (options: BenchOptions, name: AttackName, atWork?: RegularClient): Promise<Row> => {
  const attack: Attack = attacks[name]
  const tiny = options.tiny === true
  const given: BenchHub | undefined = attack.descriptors === undefined ? options.hub : undefined
  const inspector = given === undefined && !tiny ? await freePort() : undefined
  options.say(`siege: ${name}, starting a hub`)
  const own = given === undefined ? await startBesieged(options, attack.descriptors?.(tiny), inspector) : undefined
  const core = coreOfLoad(options)
  try {
    const hub = given ?? own!.hub
    const there = own === undefined ? atWork : undefined
    const regular = there ?? (await startRegular(hub, { tiny, logins: attack.logins === true, core }))
    try {
      const { seconds } = options
      const times = tiny ? tinyTimes : { warm: warmSeconds, before: seconds, attack: seconds, after: afterSeconds }
      return await playRow({ hub, regular, tiny, core, inspector, say: options.say }, name, times)
    } finally {
      if (there === undefined) await regular.stop()
    }
  } finally {
    await own?.stop()
  }
}

/** Runs the scenario. */
export const siege = async (options: BenchOptions): Promise<Outcome> => {
  const rows: Array<Row> = []
  const unmeasured: Array<readonly [name: string, why: string]> = []
  for (const name of (options.only ?? attackNames) as ReadonlyArray<AttackName>)
    try {
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
    notes: [...siegeTable(rows), ...unmeasured.map(([name, why]) => `${name} was not measured: ${why}`)]
  }
}
