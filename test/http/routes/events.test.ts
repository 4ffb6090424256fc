/** A live stream whose credential is revoked: while it is open, and while it is being opened. */
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { LiveStreams } from "../../../actors/events/live-streams.ts"
import { Streaming } from "../../../http/pipeline/response.ts"
import { eventRoutesWithin } from "../../../http/routes/events.ts"
import { Authenticator } from "../../../src/auth/authenticator.ts"
import { CredentialWatch } from "../../../src/auth/credential-watch.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import type { Principal } from "../../../src/domain/account/principal.ts"
import { streamResumeBytesMax } from "../../../src/limits/delivery.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { it } from "../../support/effect-test.ts"

const principal: Principal = {
  accountId: "acc_1",
  plan: "pro",
  role: "owner",
  admin: false,
  scopes: new Set(["ide:read"]),
  credential: { kind: "key", keyId: "key_1" }
}

/** A stream of a key that stands, or was revoked after the guard let it pass. `said`: how its reader reads. */
const streamOf = (
  stands: boolean,
  work: (run: Effect.Effect<void>, wrote: () => string) => Effect.Effect<void, unknown, Bus | LiveStreams>,
  said: "sent" | "buffered" = "sent",
  headers: Record<string, string> = {}
) =>
  Effect.gen(function* () {
    const routes = yield* eventRoutesWithin(bufferedMax)
    const found = yield* routes.stream({ principal, query: {}, headers } as never)
    let text = ""
    const outlet = {
      write: (more: string) => {
        text += more
        return said
      },
      buffered: () => (said === "sent" ? 0 : text.length),
      end: () => {}
    }
    expect(found).toBeInstanceOf(Streaming)
    yield* work(
      Effect.suspend(() => (found as Streaming).run(outlet)),
      () => text
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        LiveStreams.layer,
        Layer.mock(SecretBox, { seal: (text) => text, derive: () => new Uint8Array(32) }),
        Layer.provide(
          CredentialWatch.layer,
          Layer.succeed(Authenticator, { stands: () => stands } as unknown as Authenticator["Service"])
        )
      ).pipe(Layer.provideMerge(Layer.merge(layerMemory, Timers.layer)))
    )
  )

const bufferedMax = 1_000

describe("a live stream", () => {
  it.effect(`whose reader takes nothing ends once ${bufferedMax} bytes wait for all readers`, () =>
    streamOf(
      true,
      (run, wrote) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(run, { startImmediately: true })
          const happen = (chars: number) =>
            Effect.andThen(
              Effect.flatMap(Bus, (bus) =>
                Effect.sync(() =>
                  bus.publish("event_happened", {
                    accountId: "acc_1",
                    event: "agent:stopped",
                    payload: { daemonId: "d", text: "x".repeat(chars) },
                    timestamp: 1
                  })
                )
              ),
              Effect.yieldNow
            )
          yield* happen(bufferedMax - wrote().length - 200)
          expect(fiber.pollUnsafe()).toBeUndefined()
          yield* happen(200)
          expect([fiber.pollUnsafe() === undefined, (yield* LiveStreams).size()]).toEqual([false, 0])
        }),
      "buffered"
    )
  )

  it.effect(
    `that resumes is sent the newest ${streamResumeBytesMax} bytes that it missed, and told the gap before`,
    () => {
      const headers: Record<string, string> = {}
      return streamOf(
        true,
        (run, wrote) =>
          Effect.gen(function* () {
            const bus = yield* Bus
            headers["last-event-id"] = (yield* LiveStreams).open("acc_1", undefined, () => {})!.lastId
            for (let at = 0; at < 5; at++) {
              const payload = { daemonId: `d${at}`, text: "ä".repeat(streamResumeBytesMax / 8) }
              bus.publish("event_happened", { accountId: "acc_1", event: "agent:stopped", payload, timestamp: 1 })
            }
            yield* Effect.forkChild(run, { startImmediately: true })
            yield* Effect.yieldNow
            const sent = [...wrote().matchAll(/event: gap|"daemonId":"d\d"/gu)].map(([found]) => found)
            expect(sent).toEqual(["event: gap", '"daemonId":"d2"', '"daemonId":"d3"', '"daemonId":"d4"'])
          }),
        "sent",
        headers
      )
    }
  )

  it.effect("stays open until its key is revoked", () =>
    streamOf(true, (run, wrote) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(run, { startImmediately: true })
        const bus = yield* Bus
        bus.publish("key_changed", { keyId: "key_2" })
        yield* Effect.yieldNow
        expect([fiber.pollUnsafe(), (yield* LiveStreams).size()]).toEqual([undefined, 1])
        bus.publish("key_changed", { keyId: "key_1" })
        yield* Effect.yieldNow
        expect(fiber.pollUnsafe()).toBeDefined()
        expect([wrote().includes("id: "), (yield* LiveStreams).size()]).toEqual([true, 0])
      })
    )
  )

  it.effect("whose key was revoked between its admission and its beginning ends at once", () =>
    streamOf(false, (run, wrote) =>
      Effect.gen(function* () {
        yield* run
        expect([wrote(), (yield* LiveStreams).size()]).toEqual(["", 0])
      })
    )
  )
})
