/** The control socket: one line asks, one line answers, in the data folder and for its owner only. */
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ask } from "../../../src/admin/client.ts"
import { serveControl } from "../../../src/admin/control-socket.ts"
import { databaseFingerprint } from "../../../src/admin/database-fingerprint.ts"
import type { AdminAnswer, AdminRequest } from "../../../src/admin/requests.ts"
import { adminAnswerMillisMax } from "../../../src/limits/admin.ts"
import { adminAnswerBytesMax, adminConnectionsMax, adminRequestBytesMax } from "../../../src/limits.ts"
import { given } from "../../support/given.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const folder = () => testFolder("control")
const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))
const echo = (request: AdminRequest): Effect.Effect<AdminAnswer> => Effect.succeed({ ok: true, answer: { request } })
const list = { request: { op: "account list" } } as const

/** What a peer gets that sends these bytes by hand. */
const raw = (dataDir: string, sent: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(join(dataDir, "control.sock"))
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("error", () => {})
    socket.on("close", () => resolve(text))
    socket.write(sent)
  })

describe("the control socket", () => {
  given(folder)("carries a request and its answer, has mode 0600, and is gone when the hub closes", async (dataDir) => {
    const file = join(dataDir, "control.sock")
    const request: AdminRequest = { op: "account disable", account: "acc_ü" }
    const answer = await run(
      Effect.gen(function* () {
        yield* serveControl(dataDir, "embedded", echo)
        expect(statSync(file).mode & 0o777).toBe(0o600)
        return yield* ask(dataDir, { request })
      })
    )
    expect(answer).toEqual({ ok: true, answer: { request } })
    expect(existsSync(file)).toBe(false)
  })

  given(folder)("ends what it performs when the hub closes, and waits for its end", async (dataDir) => {
    let ended = false
    let begun = () => {}
    const performs = new Promise<void>((resolve) => {
      begun = resolve
    })
    const endless = () =>
      Effect.andThen(Effect.sync(begun), Effect.never).pipe(
        Effect.onInterrupt(() =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => (ended = true))
          )
        )
      )
    const asking = await run(
      Effect.gen(function* () {
        yield* serveControl(dataDir, "embedded", endless)
        const asked = Effect.runPromise(Effect.result(ask(dataDir, list)))
        yield* Effect.promise(() => performs)
        return { asked }
      })
    )
    expect(ended).toBe(true)
    expect((await asking.asked)._tag).toBe("Failure")
  })

  given(folder)("is told apart from a hub that does not run", async (dataDir) => {
    expect(await run(ask(dataDir, list))).toBeUndefined()
    expect(await run(ask(join(dataDir, "nowhere"), list))).toBeUndefined()
  })

  given(folder)("is opened again over what a killed hub left behind", async (dataDir) => {
    writeFileSync(join(dataDir, "control.sock"), "")
    expect(await run(Effect.andThen(serveControl(dataDir, "embedded", echo), ask(dataDir, list)))).toMatchObject({
      ok: true
    })
  })

  it("works in a folder whose path is longer than a socket's may be", async () => {
    const dataDir = join(folder(), "d".repeat(120))
    mkdirSync(dataDir)
    expect(await run(Effect.andThen(serveControl(dataDir, "embedded", echo), ask(dataDir, list)))).toMatchObject({
      ok: true
    })
    expect(await run(ask(dataDir, list))).toBeUndefined()
  })

  it("is not waited for longer than an hour, though the hub says all the time that it works", async () => {
    const dataDir = folder()
    const sockets: Array<Socket> = []
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const still = (): void => {
        if (socket.writable) socket.write(" ")
      }
      sockets.push(socket)
      socket.on("data", () => {
        still()
        begun()
      })
      socket.on("error", () => {})
    }).listen(join(dataDir, "control.sock"))
    let begun = () => {}
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const failure = await run(
      Effect.gen(function* () {
        const asking = yield* Effect.forkChild(Effect.flip(ask(dataDir, list)))
        yield* Effect.promise(() => asked)
        yield* TestClock.adjust(adminAnswerMillisMax - 1)
        expect(asking.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        return yield* Fiber.join(asking)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    server.close()
    for (const socket of sockets) socket.destroy()
    expect(failure.sentence).toContain("no answer in an hour")
  })

  given(folder)("does nothing for one who means another database", async (dataDir) => {
    const answer = await run(
      Effect.andThen(
        serveControl(dataDir, "embedded", echo),
        ask(dataDir, { ...list, database: databaseFingerprint("postgres://h/d") })
      )
    )
    expect(answer).toMatchObject({ ok: false, elsewhere: true })
  })

  given(folder)("refuses in words what is no request", async (dataDir) => {
    const answers = await run(
      Effect.andThen(
        serveControl(dataDir, "embedded", echo),
        Effect.promise(() =>
          Promise.all(["{}\n", "nonsense\n", '{"request":{"op":"account drop"}}\n'].map((line) => raw(dataDir, line)))
        )
      )
    )
    for (const answer of answers) expect(JSON.parse(answer)).toMatchObject({ ok: false })
  })

  given(folder)("closes on a request over its bound, unanswered, and goes on for others", async (dataDir) => {
    const [flood, after] = await run(
      Effect.gen(function* () {
        yield* serveControl(dataDir, "embedded", echo)
        const flood = yield* Effect.promise(() => raw(dataDir, "x".repeat(adminRequestBytesMax + 1)))
        return [flood, yield* ask(dataDir, list)] as const
      })
    )
    expect(flood).toBe("")
    expect(after).toMatchObject({ ok: true })
  })

  it(`talks to ${adminConnectionsMax} at once; one more is closed, and one is let in when another has left`, async () => {
    const dataDir = folder()
    const open = () => {
      const socket = connect(join(dataDir, "control.sock")).on("error", () => {})
      const ended = new Promise<"closed">((resolve) => socket.once("close", () => resolve("closed")))
      return { socket, ended }
    }
    const asks = (one: ReturnType<typeof open>) => {
      const answered = new Promise<"answered">((resolve) => one.socket.once("data", () => resolve("answered")))
      one.socket.write(`${JSON.stringify(list)}\n`)
      return Promise.race([answered, one.ended])
    }
    await run(
      Effect.gen(function* () {
        yield* serveControl(dataDir, "embedded", echo)
        yield* Effect.promise(async () => {
          const all = Array.from({ length: adminConnectionsMax }, open)
          for (const { socket } of all)
            if (socket.connecting) await new Promise((resolve) => socket.once("connect", resolve))
          expect(await open().ended).toBe("closed")
          const refused = await run(Effect.result(ask(dataDir, list)))
          expect(refused._tag === "Failure" && refused.failure.sentence).toContain("the hub that runs gave no answer")
          expect(await Promise.all(all.map(asks))).toEqual(all.map(() => "answered"))
          for (const { socket } of all) socket.end()
          await Promise.all(all.map(({ ended }) => ended))
          const next = open()
          expect(await asks(next)).toBe("answered")
          next.socket.destroy()
        })
      })
    )
  })

  it(`reads an answer of ${adminAnswerBytesMax} bytes, and gives up a longer one`, async () => {
    const answered = async (chars: number) => {
      const dataDir = folder()
      const around = JSON.stringify({ ok: true, answer: { x: "" } }).length
      const text = JSON.stringify({ ok: true, answer: { x: "x".repeat(chars - around) } })
      const server = createServer((socket) => void socket.on("error", () => {}).end(text))
      await new Promise<void>((resolve) => server.listen(join(dataDir, "control.sock"), resolve))
      const answer = await run(Effect.result(ask(dataDir, list)))
      server.close()
      return answer
    }
    expect(await answered(adminAnswerBytesMax)).toMatchObject({ _tag: "Success", success: { ok: true } })
    const longer = await answered(adminAnswerBytesMax + 1)
    expect(longer._tag === "Failure" && longer.failure.sentence).toContain("the answer is too long")
  })

  given(folder)("closes without an answer when what was asked breaks, and the asker is told", async (dataDir) => {
    const broken = () => Effect.die("broken")
    const failure = await run(
      Effect.andThen(serveControl(dataDir, "embedded", broken), Effect.flip(ask(dataDir, list)))
    )
    expect(failure._tag).toBe("AskFailed")
  })
})
