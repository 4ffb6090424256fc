/** What becomes of an answer in a pipe, whatever program behind the command line wrote it: real processes, no store. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { command } from "../../support/hub-command.ts"
import { root } from "../../support/root.ts"

const length = 1_000_000

/** The command line, with programs that write more than a pipe takes and end with 3. */
const script = `
  import { Effect } from "effect"
  import { cli } from ${JSON.stringify(join(root, "src/cli.ts"))}
  import { ignoreClosedOutput } from ${JSON.stringify(join(root, "src/cli/print.ts"))}
  ignoreClosedOutput()
  const writes = async () => {
    process.stdout.write("x".repeat(${length}))
    return 3
  }
  const parts = { version: "1", serve: () => Effect.never, daemon: writes, demo: writes, registry: writes, bench: writes }
  process.exit(await Effect.runPromise(cli(process.argv.slice(1), parts)))
`

const launch = (program: string): ChildProcess =>
  spawn(process.execPath, ["--input-type=module", "--eval", script, program], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "inherit"]
  })

// The same on either database: no store is opened.
describe("an answer that is longer than a pipe", () => {
  it.each(["registry", "bench", "demo"])(
    "of hub %s is whole, and ends with the program's own code",
    async (program) => {
      const child = launch(program)
      const [answer, [code]] = await Promise.all([text(child.stdout!), once(child, "close")])
      expect([answer.length, code]).toEqual([length, 3])
    }
  )

  it("waits for a reader that does not read yet", async () => {
    const child = launch("registry")
    const ended = once(child, "close")
    await once(child.stdout!, "readable")
    // as long as a whole command takes, from its start to its end
    expect((await command(["version"], {})).code).toBe(0)
    expect(child.exitCode).toBeNull()
    expect([(await text(child.stdout!)).length, (await ended)[0]]).toEqual([length, 3])
  })

  it("ends quietly when its reader goes", async () => {
    const child = launch("registry")
    const ended = once(child, "close")
    await once(child.stdout!, "readable")
    child.stdout!.destroy()
    expect((await ended)[0]).toBe(3)
  })

  it("does not keep a service from ending whose log nobody reads", async () => {
    const child = launch("daemon")
    const [code] = await once(child, "exit")
    expect(code).toBe(3)
    child.stdout!.destroy()
  })
})
