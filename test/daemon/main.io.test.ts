/** The daemon as a program: `hub daemon`, its exit codes, its end. */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { startFakeHub } from "../support/fake-hub.ts"
import { isAlive, testProvider } from "../support/reference-daemon.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { useStarted } from "../support/use-started.ts"
import { useDaemonProgram } from "./daemon-program.ts"

const hub = useStarted(() => startFakeHub(), "test")
let providers: string
let tokenFile: string

const run = useDaemonProgram()

beforeAll(() => {
  const folder = testFolder("program")
  providers = join(folder, "providers.json")
  tokenFile = join(folder, "token")
  writeFileSync(providers, JSON.stringify([testProvider()]))
  writeFileSync(tokenFile, "from-a-file\n")
})

describe("hub daemon", () => {
  it("connects, and on SIGTERM ends its agents and what they started, says goodbye and exits with 0", async () => {
    const { child, ended, said } = run(["--url", hub.url, "--token-file", tokenFile, "--providers", providers])
    const connection = await hub.connection(1)
    expect(connection.authorization).toBe("Bearer from-a-file")
    await connection.ask({ type: "launch_cli", payload: { cliType: "tester" } })
    await connection.ask({ type: "send_chat", payload: { message: "spawn" } })
    const pid = await until("the agent's child", async () => {
      const { result } = await connection.ask({ type: "read_chat" })
      return Number((result as { messages: ReadonlyArray<{ text: string }> }).messages[1]?.text) || undefined
    })
    const closed = once(connection.socket, "close")
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
    expect((await closed)[0]).toBe(1000)
    await until("no orphan", () => !isAlive(pid))
    expect(said()).not.toContain("from-a-file")
  })

  it("runs commands with the umask that it was started with", async () => {
    run(["--url", hub.url, "--token", "t"])
    const answer = await (await hub.connection(1)).ask({ type: "terminal_exec", payload: { command: "umask" } })
    expect(answer["result"]).toMatchObject({ stdout: execFileSync("sh", ["-c", "umask"], { encoding: "utf8" }) })
  })

  it("exits with 1 and says why when the hub wants it back no more", async () => {
    const { ended, said } = run(["--url", hub.url, "--token", "t"])
    const connection = await hub.connection(1)
    connection.socket.close(4403)
    expect(await ended).toBe(1)
    expect(said()).toContain("revoked")
  })

  it("exits with 2, a sentence and the usage where it is called wrongly", async () => {
    const { ended, said } = run(["--loop"])
    expect(await ended).toBe(2)
    expect(said()).toContain("--loop")
    expect(said()).toContain("--token-file FILE")
  })

  it("gives each address of a name 2 s to connect", async () => {
    const shows = `import net from "node:net"
      process.on("exit", () => console.error("each has", net.getDefaultAutoSelectFamilyAttemptTimeout()))`
    const { ended, said } = run(["--help"], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shows)}`
    })
    await ended
    expect(said()).toContain("each has 2000")
  })

  it("exits with 2 and one sentence, the secret not in it, where its token has a line break inside", async () => {
    const { ended, said } = run(["--url", hub.url], { HUB_TOKEN: "hubd_AAA\n  BBB" })
    expect(await ended).toBe(2)
    expect(said()).toBe("hub daemon: the token of HUB_TOKEN has a line break inside: it must be one line\n")
  })

  it.each([
    ["a providers file that is not there", ["--token", "t", "--providers", "/nowhere"], "the providers file /nowhere"],
    ["a token file that is not there", ["--token-file", "/nowhere"], "the token file /nowhere cannot be read"]
  ])("exits with 1 and one sentence on %s", async (_, args, words) => {
    const { ended, said } = run(["--url", "http://x", ...args])
    expect(await ended).toBe(1)
    expect(said()).toContain(words)
    expect(said().trim().split("\n")).toHaveLength(1)
  })
})
