/** The leaders of a node over a scripted store: what a leader is told meanwhile, and leases that ran out. */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { StoredCommands } from "../../../actors/commands/stored-commands.ts"
import { Dispatcher } from "../../../actors/events/dispatcher.ts"
import { JobLeaders } from "../../../actors/jobs/job-leaders.ts"
import type { ActorCell } from "../../../actors/runtime/actor.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { noTargets } from "../../../src/domain/job/job.ts"
import { StoreFailed } from "../../../src/errors.ts"
import {
  jobLeaseMillis,
  jobLookMillis,
  jobMailboxMax,
  jobProgressMillis,
  jobRenewMillis
} from "../../../src/limits/jobs.ts"
import { wheelTickMillis } from "../../../src/limits.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Jobs } from "../../../src/store/jobs/jobs.ts"
import { LedJobs, type TakenJob } from "../../../src/store/jobs/led-jobs.ts"
import { it } from "../../support/effect-test.ts"

const restartMillis = 1_000

const taken: TakenJob = {
  job: {
    jobId: "job_1",
    accountId: "acc_1",
    type: "screenshot",
    state: "running",
    stop: undefined,
    targets: 1_000,
    timeoutMs: 1_000,
    rollout: { perMinute: undefined, concurrency: 10, abortAfterFailures: undefined },
    createdAt: 0,
    expiresAt: 1e9,
    finishedAt: undefined
  },
  plan: "free",
  fence: 1,
  sealed: "{}"
}

/** One job that makes progress; telling of it throws once. It is taken with one fence after another. */
const world = (fences: ReadonlyArray<number>, led: Partial<LedJobs["Service"]> = {}) => {
  let [looks, told, takes] = [0, 0, 0]
  const released: Array<number> = []
  const handlers = new Map<string, (message: unknown) => void>()
  const store = Layer.mergeAll(
    Layer.mock(LedJobs, {
      reclaim: Effect.void,
      take: () =>
        Effect.sync(() => {
          const fence = fences[takes++]
          return fence === undefined ? [] : [{ ...taken, fence }]
        }),
      renew: () => Effect.sync(() => new Map([["job_1", fences[takes - 1] ?? fences.at(-1)!]])),
      release: (_, leads) => Effect.sync(() => void released.push(...leads.map(({ fence }) => fence))),
      standing: () => Effect.succeed({ state: "running", stop: null }),
      settle: () => Effect.void,
      tidy: () => Effect.void,
      counts: () => Effect.sync(() => ({ ...noTargets, running: 10, succeeded: ++looks })),
      ...led
    }),
    Layer.mock(Jobs, { prune: () => Effect.succeed(false) }),
    Layer.mock(StoredCommands, {}),
    Layer.mock(Dispatcher, { dispatchUnwanted: () => false }),
    Layer.mock(SecretBox, {
      seal: (text) => text,
      open: (text) => Effect.succeed(text),
      derive: () => new Uint8Array(32)
    }),
    Layer.succeed(
      Bus,
      Bus.of({
        publish: () => {
          if (told++ === 0) throw new Error("a bug")
        },
        subscribe: (topic, handler) => Effect.sync(() => void handlers.set(topic, handler as never)),
        gaps: () => Effect.void
      })
    )
  )
  const config = Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })
  const services = Layer.mergeAll(Layer.provideMerge(Supervisor.layer, Timers.layer), NodeId.layer()).pipe(
    Layer.provideMerge(config)
  )
  const hint = () => handlers.get("event_happened")!({ accountId: "acc_1", event: "command:completed" })
  const layer = JobLeaders.layer.pipe(Layer.provide(store), Layer.provideMerge(services))
  return { layer, hint, looks: () => looks, released }
}

const one = world([1])
it.effect(
  `the leader of a job that is being restarted keeps ${jobMailboxMax} messages, drops what comes beyond, and looks again once it is back`,
  () =>
    Effect.gen(function* () {
      const leaders = yield* JobLeaders
      const supervisor = yield* Supervisor
      yield* leaders.round
      // its second look tells of progress
      yield* TestClock.adjust(jobProgressMillis + wheelTickMillis)
      expect(supervisor.crashes("job")).toBe(1)
      const leader = supervisor.find("job", "job_1") as ActorCell<never, never, never>
      for (let nth = 0; nth < jobMailboxMax; nth++) one.hint()
      expect(leader.waiting).toBe(jobMailboxMax)
      for (let nth = 0; nth < jobMailboxMax; nth++) one.hint()
      expect(leader.waiting).toBe(jobMailboxMax)
      const before = one.looks()
      yield* TestClock.adjust(restartMillis)
      expect([leader.waiting, leaders.leads("job_1")]).toEqual([0, true])
      yield* TestClock.adjust(jobLookMillis)
      expect(one.looks()).toBeGreaterThan(before + 1)
      expect(supervisor.crashes("job")).toBe(1)
    }).pipe(Effect.provide(one.layer))
)

it.effect(
  "a node whose lease on a job has run out ends its leader where it takes the job itself, and leads it anew in the next round",
  () => {
    const one = world([1, 2, 3])
    return Effect.gen(function* () {
      const leaders = yield* JobLeaders
      const supervisor = yield* Supervisor
      // the first round is the node's own
      yield* TestClock.adjust(0)
      const first = supervisor.find("job", "job_1")
      expect(leaders.leads("job_1")).toBe(true)
      yield* leaders.round
      yield* TestClock.adjust(0)
      expect([supervisor.find("job", "job_1"), leaders.leads("job_1")]).toEqual([undefined, false])
      expect(one.released.sort()).toEqual([1, 2])
      yield* leaders.round
      expect(leaders.leads("job_1")).toBe(true)
      expect(supervisor.find("job", "job_1")).not.toBe(first)
    }).pipe(Effect.provide(one.layer))
  }
)

it.effect("a job whose taking was not answered is led once its lease has ended, which no renewal puts off", () => {
  const lease = { until: 0, fence: 0 }
  const prolong = Effect.map(Clock.currentTimeMillis, (now) => {
    lease.until = now + jobLeaseMillis
  })
  const one = world([], {
    take: () =>
      Effect.gen(function* () {
        if (lease.until > (yield* Clock.currentTimeMillis)) return []
        yield* prolong
        if (++lease.fence === 1)
          return yield* new StoreFailed({ operation: "take jobs", cause: new Error("no answer") })
        return [{ ...taken, fence: lease.fence }]
      }),
    renew: (_, leads) =>
      Effect.as(
        leads.some(({ fence }) => fence === lease.fence) ? prolong : Effect.void,
        new Map([["job_1", lease.fence]])
      )
  })
  return Effect.gen(function* () {
    const leaders = yield* JobLeaders
    yield* TestClock.adjust(jobLeaseMillis - 1)
    expect([lease.fence, leaders.leads("job_1")]).toEqual([1, false])
    yield* TestClock.adjust(jobRenewMillis)
    expect([lease.fence, leaders.leads("job_1")]).toEqual([2, true])
    yield* TestClock.adjust(2 * jobLeaseMillis)
    expect([lease.fence, leaders.leads("job_1")]).toEqual([2, true])
  }).pipe(Effect.provide(one.layer))
})
