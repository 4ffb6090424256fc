/** What the log says of daemons' sockets, and that a peer that comes again and again does not fill it. */
import { Effect, Logger, References } from "effect"
import { expect, it } from "vitest"
import { makeConnectionLog } from "../../../actors/connections/connection-log.ts"
import { failureKindsMax } from "../../../src/limits/edge.ts"
import { entryOf } from "../../../src/runtime/log.ts"
import type { Timers } from "../../../src/runtime/timers.ts"

const logged = (use: (log: Effect.Success<ReturnType<typeof makeConnectionLog>>) => void) => {
  const entries: Array<Record<string, unknown>> = []
  let now = 0
  const timers = { monotonic: () => (now += 100), now: () => 0, after: () => ({ clear: () => {} }) }
  const logger = Logger.make((options: Logger.Options<unknown>) => void entries.push(entryOf(options, {})))
  const all = Effect.scoped(Effect.map(makeConnectionLog(timers as unknown as Timers["Service"]), use))
  Effect.runSync(
    all.pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Info"))
  )
  return entries.map(({ time: _, level: __, ...rest }) => rest)
}

it("says of an ended connection whose it was, how it ended, after how long and how many frames", () => {
  const lines = logged((log) => {
    const socket = log.opened("192.0.2.1")
    socket.daemonId = "dmn_1"
    socket.frames = 3
    log.ended(socket, 4429)
  })
  const message = "the connection of a daemon ended"
  const reason = "sending too fast"
  expect(lines).toEqual([
    { message, daemonId: "dmn_1", code: 4429, reason, millis: 100, frames: 3, address: "192.0.2.1" }
  ])
})

it("says of a socket that was not admitted why, and of a refused upgrade", () => {
  const lines = logged((log) => {
    const socket = log.opened("192.0.2.1")
    socket.refusal = "token_unknown"
    log.ended(socket, 4401)
    log.refused("TokenRevoked", "192.0.2.2")
  })
  expect(lines).toMatchObject([
    { message: "a socket ended before its daemon was admitted", reason: "token_unknown", code: 4401 },
    { message: "a daemon was refused before the upgrade", reason: "TokenRevoked", address: "192.0.2.2" }
  ])
})

it("has two lines of a peer that is refused a thousand times, and an end of kinds", () => {
  const flood = 1_000
  const alike = logged((log) => {
    for (let nth = 0; nth < flood; nth++) log.refused("AuthInvalid", "192.0.2.1")
  })
  expect(alike).toHaveLength(2)
  expect(alike[1]).toMatchObject({ heldBack: flood - 2 })
  const different = logged((log) => {
    for (let nth = 0; nth < flood; nth++) log.refused("AuthInvalid", `2001:db8::${nth}`)
  })
  expect(different.length).toBeLessThanOrEqual(failureKindsMax + 2)
})
