/** The sink of the audit log where a step of it meets a defect: it goes on. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { AuditSink } from "../../../actors/audit-log/audit-sink.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { auditExportMillis } from "../../../src/limits/audit.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { AuditEvents } from "../../../src/store/accounts/audit-events.ts"
import { it } from "../../support/effect-test.ts"

describe("the sink of the audit log", () => {
  it.effect("is served again after a step that met a defect", () => {
    let looks = 0
    const store = {
      claimSink: () => Effect.succeed(true),
      unexported: Effect.suspend(() => (++looks === 1 ? Effect.die(new Error("a defect")) : Effect.succeed([]))),
      releaseSink: () => Effect.void
    } as unknown as AuditEvents["Service"]
    const layer = AuditSink.layer.pipe(
      Layer.provide([
        Layer.succeed(AuditEvents, store),
        NodeId.layer(),
        Config.layer({ ...defaultSettings, auditSink: "/nowhere" })
      ])
    )
    return Effect.gen(function* () {
      yield* TestClock.adjust(auditExportMillis)
      expect(looks).toBe(2)
    }).pipe(Effect.provide(layer))
  })
})
