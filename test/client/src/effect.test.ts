/** How a call of the flavour for Effect ends: as a failure of its type, or as a defect where the caller is wrong. */
import { Cause, Effect, Exit, Stream } from "effect"
import { expect, it } from "vitest"
import { makeClient } from "../../../client/src/effect.ts"
import { scripted } from "../scripted-fetch.ts"

const exitOf = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.exit(effect))
const causeOf = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? exit.cause : expect.fail("it succeeded"))

it("dies of an input that makes no request, as a call and as a stream", async () => {
  const client = makeClient(scripted([]).options)
  const call = causeOf(await exitOf(client.call("daemons.status", { daemonId: "" })))
  const stream = causeOf(await exitOf(Stream.runDrain(client.stream("commands.outputStream", { commandId: "" }))))
  for (const cause of [call, stream]) expect(Cause.squash(cause)).toBeInstanceOf(TypeError)
  expect([Cause.hasDies(call), Cause.hasDies(stream)]).toEqual([true, true])
})

it("fails as without a connection where the credential is not given, and where none is made", async () => {
  const lost = new TypeError("fetch failed")
  const credential = () => Promise.reject(lost)
  for (const options of [
    { ...scripted([]).options, credential },
    { ...scripted([lost]).options, retries: 0 }
  ]) {
    const cause = causeOf(await exitOf(makeClient(options).call("daemons.list", {})))
    expect(Cause.hasFails(cause)).toBe(true)
    expect(Cause.squash(cause)).toMatchObject({
      _tag: "ConnectionFailed",
      message: expect.stringContaining("fetch failed")
    })
  }
})
