/** When a hub exports its database by itself. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { exportFirstMillis, exportMillis, exportRetryMillis, exportsKeptMax } from "../../../../src/limits/backup.ts"
import { exportName, exportsFolder } from "../../../../src/store/backup/export-files.ts"
import { Exports } from "../../../../src/store/backup/exports.ts"
import type { EmbeddedThread } from "../../../../src/store/embedded/thread.ts"
import { DatabaseHome, Suspicion } from "../../../../src/store/sql/database-home.ts"
import { it } from "../../../support/effect-test.ts"
import { testFolder } from "../../../support/temporary-folder.ts"
import { until } from "../../../support/until.ts"
import { turns } from "../../../support/virtual-hub-clock.ts"

/** A database that counts how often it is copied, and never lets a copy succeed. */
const world = (name: string) => {
  const dataDir = testFolder(name)
  mkdirSync(join(dataDir, "database"))
  mkdirSync(exportsFolder(dataDir))
  const tried = { copies: 0 }
  const copy = (): Promise<void> => {
    tried.copies++
    return Promise.reject(new Error("no copy"))
  }
  const thread = { copy } as unknown as EmbeddedThread
  const home = Layer.succeed(DatabaseHome, { suspicion: new Suspicion(), embedded: { dataDir, thread } })
  const copied = (times: number) => Effect.promise(() => until(`${times} copies`, () => tried.copies === times))
  return { dataDir, tried, copied, layer: Layer.provide(Exports.layer, home) }
}

describe("the export of each hour", () => {
  const first = world("exports-first")
  it.effect("is begun a minute after the start where there is none yet, and again some time after it failed", () =>
    Effect.gen(function* () {
      yield* Effect.forkChild((yield* Exports).hourly, { startImmediately: true })
      yield* TestClock.adjust(exportFirstMillis - 1)
      expect(first.tried.copies).toBe(0)
      yield* TestClock.adjust(1)
      yield* first.copied(1)
      yield* Effect.promise(() =>
        until("the failure is seen", () => readdirSync(exportsFolder(first.dataDir)).length === 0)
      )
      // The failure is known some turns of the loop later: until then there is nothing to wait for.
      for (let turn = 0; turn < 10_000 && first.tried.copies === 1; turn++) {
        yield* TestClock.adjust(exportRetryMillis)
        yield* Effect.promise(() => turns())
      }
      yield* first.copied(2)
    }).pipe(Effect.provide(first.layer))
  )

  const second = world("exports-second")
  it.effect("is begun an hour after the newest there is", () =>
    Effect.gen(function* () {
      const age = exportMillis / 2
      yield* TestClock.adjust(exportMillis)
      writeFileSync(join(exportsFolder(second.dataDir), exportName(exportMillis - age)), "")
      yield* Effect.forkChild((yield* Exports).hourly, { startImmediately: true })
      yield* TestClock.adjust(exportMillis - age - 1)
      expect(second.tried.copies).toBe(0)
      yield* TestClock.adjust(1)
      yield* second.copied(1)
    }).pipe(Effect.provide(second.layer))
  )

  const third = world("exports-third")
  it.effect("goes on where an old one cannot be removed", () =>
    Effect.gen(function* () {
      // what is no file is not removed
      for (let at = 0; at <= exportsKeptMax; at++) mkdirSync(join(exportsFolder(third.dataDir), exportName(at)))
      yield* Effect.forkChild((yield* Exports).hourly, { startImmediately: true })
      for (let turn = 0; turn < 10_000 && third.tried.copies < 2; turn++) {
        yield* TestClock.adjust(exportMillis)
        yield* Effect.promise(() => turns())
      }
      yield* third.copied(2)
    }).pipe(Effect.provide(third.layer))
  )
})
