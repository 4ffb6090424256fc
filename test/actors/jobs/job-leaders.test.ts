/** The leaders of a node over a scripted store: what a leader is told while it cannot take it. */
import { Effect, Layer } from "effect"
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
import { jobLookMillis, jobMailboxMax, jobProgressMillis } from "../../../src/limits/jobs.ts"
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

/** One job that makes progress; telling of it throws once. */
const world = () => {
  let [looks, told, left] = [0, 0, 1]
  const handlers = new Map<string, (message: unknown) => void>()
  const store = Layer.mergeAll(
    Layer.mock(LedJobs, {
      reclaim: Effect.void,
      take: () => Effect.sync(() => (left-- > 0 ? [taken] : [])),
      renew: () => Effect.succeed(new Map([["job_1", 1]])),
      release: () => Effect.void,
      standing: () => Effect.succeed({ state: "running", stop: null }),
      settle: () => Effect.void,
      tidy: () => Effect.void,
      counts: () => Effect.sync(() => ({ ...noTargets, running: 10, succeeded: ++looks }))
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
  return { layer: JobLeaders.layer.pipe(Layer.provide(store), Layer.provideMerge(services)), hint, looks: () => looks }
}

const one = world()
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
