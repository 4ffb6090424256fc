/**
 * One command for a whole fleet: does a job hold the rate that it was given, does it command each daemon once, does it
 * stop soon after too many failures, and what does a target cost beside a command of its own? Owns these questions.
 */
import { setTimeout as pause } from "node:timers/promises"
import {
  type BenchOptions,
  coreOfServer,
  type Fixture,
  type Outcome,
  pidOf,
  requestText,
  type Stretch,
  stretch,
  withFixture
} from "../fixture.ts"
import type { Ask } from "../load/wrk.ts"
import { against, atMost, type Figure, type Series, shown } from "../report/figures.ts"
import { startProgram } from "../servers/child.ts"
import { enrol } from "../servers/hub.ts"
import { join, settle } from "./fleets.ts"
import { type Held, heldRate, lastAfter, sentBeyond, spread } from "./job-rate.ts"

/** As many as a job may name; beside them the account may have daemons that are not there. */
const fleetSize = 10_000
/** A target whose daemon was lost on the way is waited for no longer. */
const waitMillis = 600_000
const targetsPerSecond = 1_000
/** A second job is slower by this. */
const slower = 5
const callers = 64
const concurrency = 1_000
const failures = 100
/** Of a fleet whose commands succeed but for some, how many exit with 1; and what such a job is given. */
const exitingPercent = 3
const exiting = { concurrency: 100, abortAfterFailures: 10 }
const pollMillis = 200
/** Daemons report 2 s after they have come. */
const settleMillis = 5_000
const bareFleetMax = 1_000
const fleet = "jobs"
const type = "screenshot" as const
const goals = { ratePercent: 5, abortMillis: 1_000, cpuVsSingle: 1 }

interface Rollout {
  readonly perMinute?: number
  readonly abortAfterFailures?: number
  readonly concurrency?: number
}

/** A job that has ended. */
interface Ended {
  readonly state: string
  readonly counts: Readonly<Record<string, number>>
  readonly finishedAt: number
  /** When its commands came to their daemons, and how often one had two. */
  readonly millis: ReadonlyArray<number>
  readonly again: number
  /** How many had been sent as each came that exits with 1. */
  readonly exits: ReadonlyArray<number>
}

/** Runs the scenario. */
export const jobs = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async (fixture) => {
    const { hub, account, generator } = fixture
    const count = Math.min(options.daemons ?? fleetSize, fleetSize)
    const rate = options.rate ?? targetsPerSecond
    options.say(`jobs: ${count} daemons connect`)
    const tokens = (await enrol(hub, account, count)).map(({ token }) => token)
    const some = Math.max(Math.ceil((count * exitingPercent) / 100), Math.min(count, 2 * exiting.abortAfterFailures))
    const others = await settle(generator, fleet, hub.url, tokens.slice(some))
    const daemonIds = spread(others, await join(generator, fleet, hub.url, tokens.slice(0, some), "exiting"))
    if (options.tiny !== true) await pause(settleMillis)
    options.say("jobs: idle")
    const idle = await stretch(pidOf(hub), () => pause(options.seconds * 1_000, 1), fixture.stores)
    options.say(`jobs: ${rate} commands/s, one by one`)
    const single = await oneByOne(options, fixture, daemonIds, rate)
    const [fast, slow] = [
      await paced(options, fixture, daemonIds, rate),
      await paced(options, fixture, daemonIds, rate / slower)
    ]
    const aborted = await abortedJobs(options, fixture, daemonIds, rate)
    const exits = await exitingJob(options, fixture, daemonIds)
    await generator.ask("close", { fleet })
    const bare = await bareCommand(options, fixture, rate)
    return {
      figures: [
        atMost("job_rate_off", fast.held.offPercent, "%", goals.ratePercent),
        atMost("job_slow_rate_off", slow.held.offPercent, "%", goals.ratePercent),
        atMost("job_failed", fast.failed + slow.failed, "targets", 0),
        atMost("job_sent_again", fast.again + slow.again + aborted.again + exits.again, "commands", 0),
        atMost("job_abort_ms", aborted.millis, "ms", goals.abortMillis),
        atMost("job_exit_sent_beyond", exits.beyond, "commands", exiting.concurrency),
        ...costs(fast.stretch, single, idle, bare),
        ...fast.held.worst.map((worst) => shown("job_worst_second_off", worst, "%")),
        ...slow.held.worst.map((worst) => shown("job_slow_worst_second_off", worst, "%")),
        shown("job_end_ms", fast.endMillis, "ms"),
        shown("job_abort_end_ms", aborted.endMillis, "ms"),
        shown("job_abort_sent_beyond", aborted.beyond, "commands")
      ],
      series: [
        seriesOf("Commands of a job", rate, fast.held),
        seriesOf("Commands of a slower job", rate / slower, slow.held)
      ]
    }
  })

const seriesOf = (title: string, rate: number, { perSecond }: Held): Series => ({
  title: `${title}, ${rate}/s asked`,
  x: "s",
  y: "/s",
  lines: [{ name: "commands", points: perSecond.map((sent, second) => [second, sent] as const) }]
})

/** Starts a job for these daemons and waits for its end. */
const run = async (
  { hub, account, generator }: Fixture,
  daemonIds: ReadonlyArray<string>,
  given: Rollout,
  payload: Readonly<Record<string, unknown>>,
  command: "screenshot" | "terminal_exec" = type
): Promise<Ended> => {
  const client = hub.client(account.key)
  await generator.ask("watch", { fleet })
  const rollout = { concurrency, ...given }
  const expiresAt = Date.now() + waitMillis
  const { jobId } = await client.jobs.start({
    daemonIds: [...daemonIds],
    type: command,
    payload,
    rollout,
    expiresAt
  })
  for (;;) {
    const { state, finishedAt, counts } = await client.jobs.get({ jobId })
    if (finishedAt !== null)
      return { state, counts: { ...counts }, finishedAt, ...(await generator.ask("arrivals", { fleet })) }
    await pause(pollMillis)
  }
}

/** A job at a rate, whose daemons all succeed. */
const paced = async (options: BenchOptions, fixture: Fixture, daemonIds: ReadonlyArray<string>, rate: number) => {
  const count = daemonIds.length
  options.say(`jobs: a job of ${count} at ${rate}/s`)
  let ended: Ended | undefined
  const measured = await stretch(
    pidOf(fixture.hub),
    async () => {
      ended = await run(fixture, daemonIds, { perMinute: Math.max(1, Math.round(rate * 60)) }, {})
      return count
    },
    fixture.stores
  )
  const { counts, finishedAt, millis, again } = ended!
  return {
    stretch: measured,
    failed: count - (counts["succeeded"] ?? 0),
    again,
    held: heldRate(millis, rate),
    endMillis: finishedAt - millis.at(-1)!
  }
}

/** Jobs whose daemons all fail. The worst of them counts. */
const abortedJobs = async (options: BenchOptions, fixture: Fixture, daemonIds: ReadonlyArray<string>, rate: number) => {
  const bound = Math.max(1, Math.min(failures, Math.floor(daemonIds.length / slower)))
  const worst = { millis: 0, endMillis: 0, beyond: 0, again: 0 }
  for (let nth = 1; nth <= options.runs; nth++) {
    options.say(`jobs: a job that fails, ${nth} of ${options.runs}`)
    const rollout = { perMinute: Math.max(1, Math.round(rate * 60)), abortAfterFailures: bound }
    const { millis, again, finishedAt } = await run(fixture, daemonIds, rollout, { fail: true })
    worst.millis = Math.max(worst.millis, lastAfter(millis, bound))
    worst.endMillis = Math.max(worst.endMillis, finishedAt - millis[bound - 1]!)
    worst.beyond = Math.max(worst.beyond, millis.length - bound)
    worst.again += again
  }
  return worst
}

/** A terminal command that exits with 1 on some: how many more are sent once too many have. */
const exitingJob = async ({ say }: BenchOptions, fixture: Fixture, daemonIds: ReadonlyArray<string>) => {
  say(`jobs: a job of which ${exitingPercent} % exit with 1`)
  const { state, millis, exits, again, counts } = await run(
    fixture,
    daemonIds,
    exiting,
    { command: "true" },
    "terminal_exec"
  )
  if (state !== "aborted") say(`jobs: it was not aborted but ${state}: ${JSON.stringify(counts)}`)
  const beyond = sentBeyond(exits, exiting.abortAfterFailures, millis.length)
  return { again, beyond: state === "aborted" ? beyond : daemonIds.length }
}

const askOf = (daemonId: string, key: string, prefer: string | undefined): Ask => ({
  method: "POST",
  path: `/api/v1/daemons/${daemonId}/command`,
  headers: {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...(prefer === undefined ? {} : { prefer })
  },
  body: JSON.stringify({ type, payload: {} })
})

/** The same commands without a job, each kept like those of a job. */
const oneByOne = (options: BenchOptions, fixture: Fixture, daemonIds: ReadonlyArray<string>, rate: number) => {
  const { hub, account, generator, stores } = fixture
  const requests = daemonIds.map((id) => requestText(hub.url, askOf(id, account.key, "respond-async")))
  const { seconds } = options
  return stretch(
    pidOf(hub),
    async () => {
      const { statuses } = await generator.ask("load", { url: hub.url, requests, connections: callers, seconds, rate })
      return statuses["202"] ?? 0
    },
    stores
  )
}

/** The same commands through the bare relay, which keeps nothing. */
const bareCommand = async (options: BenchOptions, { account, generator }: Fixture, rate: number): Promise<Stretch> => {
  const relay = startProgram("baseline/relay.ts", [account.key], {}, coreOfServer(options))
  try {
    const url = `http://127.0.0.1:${(await relay.line())["port"]}`
    const tokens = Array.from(
      { length: Math.min(options.daemons ?? fleetSize, bareFleetMax) },
      (_, at) => `dmn_bench${at}`
    )
    const ids = await settle(generator, "bare", url, tokens)
    options.say("jobs: the bare relay")
    const requests = ids.map((id) => requestText(url, askOf(id, account.key, undefined)))
    const { seconds } = options
    return await stretch(
      relay.pid,
      async () => (await generator.ask("load", { url, requests, connections: callers, seconds, rate })).answered
    )
  } finally {
    await generator.ask("close", { fleet: "bare" }).catch(() => undefined)
    await relay.stop()
  }
}

/** CPU per target and per command, without what the idle fleet costs. */
const costs = (job: Stretch, single: Stretch, idle: Stretch, bare: Stretch): ReadonlyArray<Figure> => {
  const micros = (of: Stretch): number => ((of.busy - idle.busy) * 1e6) / of.perSecond
  const postgres = (of: Stretch): number => of.stores.postgres - (idle.stores.postgres * idle.perSecond) / of.perSecond
  const [target, one] = [micros(job), micros(single)]
  const [stored, storedOne] = [postgres(job), postgres(single)]
  const beside = (name: string, value: number, baseline: number): Figure => ({
    ...shown(name, value, "µs"),
    baseline,
    ratio: value / baseline
  })
  return [
    against("job_cpu_vs_single", target, one, "µs", "<=", goals.cpuVsSingle),
    beside("job_cpu_vs_bare", target, bare.cpuMicros),
    // what stores a hub has that runs already is not known
    ...(Number.isFinite(stored) ? [beside("job_postgres_vs_single", stored, storedOne)] : [])
  ]
}
