/** Passwords: what matches, what is refused unlooked at, and how many are checked at a time. */
import { Effect, Exit, Fiber, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { Passwords } from "../../../src/auth/password.ts"
import { passwordBytesMax, passwordChecksMax, passwordWaitersMax } from "../../../src/limits.ts"

const runtime = ManagedRuntime.make(Passwords.layer)
afterAll(() => runtime.dispose())
const run = <A, E>(use: (passwords: Passwords["Service"]) => Effect.Effect<A, E>) =>
  runtime.runPromise(Effect.flatMap(Passwords, use))
const check = (password: string, passwordHash: string | undefined) =>
  run(({ check }) => check(password, Effect.succeed(passwordHash === undefined ? undefined : { passwordHash }))).then(
    ({ matches }) => matches
  )

describe("a password", () => {
  it("is stored as argon2id and matches only itself", async () => {
    const stored = await run((passwords) => passwords.hash("correct horse"))
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/u)
    expect(await check("correct horse", stored)).toBe(true)
    expect(await check("correct horsf", stored)).toBe(false)
  })

  it.each(["        ", "alllower", "12345678", "ключ-ключ", "🔑🔑🔑🔑", "x".repeat(64), "x".repeat(passwordBytesMax)])(
    "may be of whatever characters, and is taken as it was given: %s",
    async (password) => {
      const stored = await run((passwords) => passwords.hash(password))
      expect(await check(password, stored)).toBe(true)
      for (const other of [`${password} `, password.slice(0, -1), `${password.slice(0, -1)}X`])
        expect(await check(other, stored)).toBe(false)
    }
  )

  it("matches nobody when there is no account, and no hash that does not parse", async () => {
    expect(await check("anything", undefined)).toBe(false)
    expect(await check("anything", "not a hash")).toBe(false)
  })

  it("is refused when it is new and too short or too long", async () => {
    for (const password of ["short", "x".repeat(passwordBytesMax + 1)]) {
      const error = await run((passwords) => Effect.flip(passwords.hash(password)))
      expect(error._tag).toBe("ValidationFailed")
    }
    expect(await check("x".repeat(passwordBytesMax + 1), undefined)).toBe(false)
  })

  it("waits its turn, and past the bound of waiting ones is refused as overload before the store is asked", async () => {
    const most = passwordChecksMax + passwordWaitersMax
    const exits = await run((passwords) =>
      Effect.gen(function* () {
        const fibers = []
        let asked = 0
        const nobody = Effect.sync(() => void asked++)
        for (let at = 0; at < most + 5; at++)
          fibers.push(yield* Effect.forkChild(passwords.check("x", nobody), { startImmediately: true }))
        const refused = yield* Effect.forEach(fibers.slice(most), (fiber) => Fiber.await(fiber))
        expect(asked).toBe(passwordChecksMax)
        yield* Effect.forEach(fibers.slice(0, most), (fiber) => Fiber.interrupt(fiber))
        const later = yield* Effect.exit(passwords.check("x", nobody))
        return { refused, later }
      })
    )
    expect(exits.refused.every(Exit.isFailure)).toBe(true)
    expect(Exit.isSuccess(exits.later)).toBe(true)
  })
})
