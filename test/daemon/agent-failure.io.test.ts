/** How an agent program that fails is told apart, each way by a small program that really fails in it. */
import { readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { AgentLink } from "../../daemon/agent-process.ts"
import { realClock } from "../../daemon/clock.ts"
import { authMethodsMax, exitGraceMillis, stderrQuotedCharactersMax } from "../../daemon/limits.ts"
import type { Provider } from "../../daemon/providers.ts"
import { Refusal } from "../../daemon/refusal.ts"
import { isAlive, testProvider } from "../support/reference-daemon.ts"
import { atNight } from "../support/run-sizes.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { virtualClock } from "../support/virtual-clock.ts"
import { program, type Scripted, shellAgent, speakingAgent } from "./scripted-agent.ts"

const ears = { update: () => undefined, permission: () => Promise.reject(new Error("not asked")) }
const never = new AbortController().signal
const launchMillis = 120_000

const start = (provider: Provider, clock = realClock): Promise<AgentLink> =>
  AgentLink.start(provider, { dir: tmpdir(), model: undefined, millis: launchMillis }, clock, ears, never)

const refusal = (provider: Provider, clock = realClock): Promise<Refusal> =>
  start(provider, clock).then(
    async (link) => {
      await link.end()
      throw new Error("it started")
    },
    (error: unknown) => (error instanceof Refusal ? error : Promise.reject(error))
  )

const initialized = (more: object = {}): Record<string, Scripted> => ({
  initialize: { says: { result: { protocolVersion: 1, agentCapabilities: {}, ...more } } }
})
const unrunnable = (): Provider => {
  const file = join(testFolder("unrunnable"), "agent")
  writeFileSync(file, "no program", { mode: 0o644 })
  return program(file)
}
const loginNeeded = { code: -32_000, message: "Authentication required" }

describe("an agent program that ends before it has a session", () => {
  const saysWhy = "echo 'you need to login first' >&2"
  /** At night each again and again: what is read last must not depend on who is faster. */
  const times = atNight ? 8 : 1
  it.each([
    ["before it reads anything", `${saysWhy}; exit 3`],
    ["after it has read the first message", `read line; ${saysWhy}; exit 3`],
    ["after it has closed its output", `exec 1>&-; ${saysWhy}; exit 3`],
    ["after it has closed its input", `exec 0<&-; ${saysWhy}; exit 3`],
    ["after a banner on its output", `echo Welcome; ${saysWhy}; exit 3`]
  ])("%s is named with its exit code and the end of its stderr, each time", async (_, script) => {
    for (let time = 0; time < times; time++) {
      // no time passes, in which one that has closed its output would be killed
      const { code, message } = await refusal(shellAgent(script), virtualClock())
      expect([code, message]).toEqual([
        "agent_exited",
        "Scripted agent did not go on: it ended with code 3; the end of its stderr: you need to login first"
      ])
    }
  })

  it("is named at once, also when a process that it left behind holds its output open", async () => {
    const pids = join(testFolder("leftbehind"), "pid")
    const outside = `setsid sh -c 'echo $$ > ${pids}; exec sleep 600' & until [ -s ${pids} ]; do :; done`
    const { code, message } = await refusal(shellAgent(`${outside}; echo bye >&2; exit 3`))
    const pid = Number(readFileSync(pids, "utf8"))
    expect([code, isAlive(pid)]).toEqual(["agent_exited", true])
    expect(message).toContain("code 3; the end of its stderr: bye")
    process.kill(pid, "SIGKILL")
  })

  it("is quoted without secrets and colours, and only the end of a long stderr", async () => {
    const long = `i=0; while [ $i -lt 300 ]; do echo "line $i of the complaint" >&2; i=$((i+1)); done`
    const secret = "printf '\\033[31mOPENAI_API_KEY=sesame-open-123\\033[0m\\n' >&2"
    const { message } = await refusal(shellAgent(`${long}; ${secret}; exit 1`), virtualClock())
    expect(message).toContain("line 299")
    expect(message).not.toContain("line 9 ")
    expect(message).toMatch(/OPENAI_API_KEY=\[redacted\]$/u)
    expect(message.length).toBeLessThan(stderrQuotedCharactersMax + 200)
  })
})

it.each(["/nowhere/agent", "no-such-program-anywhere", "/etc/passwd/agent"])(
  "an agent program that cannot be run %s is not found",
  async (command) => {
    const { code, message } = await refusal(program(command))
    expect(code).toBe("agent_not_found")
    expect(message).toContain(`the program ${command} was not found`)
  }
)

describe("an agent program that asks for a login", () => {
  const authMethods = [
    { id: "chatgpt", name: "Log in with ChatGPT" },
    { id: "key", name: "Use OPENAI_API_KEY", description: "from the environment" }
  ]
  it.each([undefined, 1])("is named with its ways to log in, also when it then ends (%s)", async (thenExit) => {
    for (let time = 0; time < (atNight ? 4 : 1); time++) {
      const { code, message } = await refusal(
        speakingAgent({
          ...initialized({ authMethods }),
          "session/new": { says: { error: loginNeeded }, ...(thenExit === undefined ? {} : { thenExit }) }
        })
      )
      expect([code, message]).toEqual([
        "agent_auth_required",
        "Scripted agent asks for a login first (Authentication required): on the daemon's computer, as the daemon's user, " +
          "log in with the agent's own program, or start the daemon with the agent's API key in its environment; " +
          "then try again; its ways to log in: chatgpt (Log in with ChatGPT), " +
          "key (Use OPENAI_API_KEY: from the environment)"
      ])
    }
  })

  it("is named so without any way, and with no more ways than the bound", async () => {
    const asking = (methods: ReadonlyArray<unknown>) =>
      refusal(
        speakingAgent({ ...initialized({ authMethods: methods }), "session/new": { says: { error: loginNeeded } } })
      )
    expect((await asking([])).message).toContain("it names no way to log in")
    const many = Array.from({ length: authMethodsMax + 1 }, (_, at) => ({ id: `way${at}.`, name: "Way" }))
    const { message } = await asking(many)
    expect(message).toContain(`way${authMethodsMax - 1}.`)
    expect(message).not.toContain(`way${authMethodsMax}.`)
  })
})

describe("an agent program that", () => {
  it("never answers is given up after the bound, named with what it did not answer, and ended", async () => {
    const pid = join(testFolder("mute"), "pid")
    const clock = virtualClock()
    const refused = refusal(testProvider("mute", "--mute", pid), clock)
    const running = await until("it runs", () => Number(readFileSync(pid, "utf8")) || undefined)
    // what it wrote to stderr before is read in the next turn
    await turn()
    clock.advance(launchMillis - 1)
    clock.advance(1)
    let given: Refusal | undefined
    void refused.then((one) => {
      given = one
    })
    await until("the refusal", () => {
      clock.advance(20)
      return given
    })
    expect(given).toMatchObject({
      code: "agent_timeout",
      message: expect.stringMatching(/^Test agent did not answer `initialize`: no session after 120 s; .*stderr/u)
    })
    await until("it is ended", () => !isAlive(running))
  })

  const away = { code: -32_603, message: "Internal error", data: { details: "the model is away, token=sesame-open" } }
  const notAcp = "Scripted agent does not speak ACP (the Agent Client Protocol):"
  const gone = "Scripted agent did not go on:"
  it.each<readonly [string, () => Provider, string, string]>([
    ["sends back what it is sent", () => program("cat"), "agent_not_acp", `${notAcp} it sends back what it is sent`],
    [
      "closes its output and does not end",
      () => shellAgent("exec 1>&-; sleep 600"),
      "agent_not_acp",
      `${notAcp} it closed its standard output`
    ],
    [
      "answers with an error",
      () => speakingAgent({ ...initialized(), "session/new": { says: { error: away } } }),
      "launch_failed",
      "Scripted agent answered with an error: Internal error: the model is away, token=[redacted]"
    ],
    ["is ended by a signal", () => shellAgent("kill -9 $$"), "agent_exited", `${gone} it was ended by SIGKILL`],
    [
      "ends after its first answer",
      () => speakingAgent({ initialize: { ...initialized()["initialize"], thenExit: 4 } }),
      "agent_exited",
      `${gone} it ended with code 4`
    ],
    ["cannot be run", () => unrunnable(), "launch_failed", "EACCES"]
  ])("%s is named so", async (_, agent, code, sentence) => {
    // of one that ends by itself as above
    const clock = code === "agent_exited" ? virtualClock() : realClock
    expect(await refusal(agent(), clock)).toMatchObject({ code, message: expect.stringContaining(sentence) })
  })

  it("writes a banner before it speaks the protocol starts", async () => {
    const agent = testProvider()
    const words = ["-c", 'echo "Welcome to the agent"; exec "$@"', "sh", agent.command, ...agent.args]
    const link = await start({ ...agent, command: "/bin/sh", args: words })
    expect((await link.prompt("hello")).stopReason).toBe("end_turn")
    await link.end()
  })
})

describe("a turn", () => {
  it.each([
    ["asks for a login", { says: { error: loginNeeded } }, "agent_auth_required", "asks for a login"],
    ["ends the program", { thenExit: 7 }, "agent_exited", "it ended with code 7"]
  ])("that %s fails with that reason", async (_, answer, code, words) => {
    const link = await start(
      speakingAgent({
        ...initialized(),
        "session/new": { says: { result: { sessionId: "s" } } },
        "session/prompt": answer as Scripted
      })
    )
    const failed = link.prompt("hello")
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
    await link.end()
  })

  it("for a program that closed its output is no exit, though the program is killed meanwhile", async () => {
    const clock = virtualClock()
    const opened = { says: { result: { sessionId: "s" } }, thenMute: true }
    const link = await start(speakingAgent({ ...initialized(), "session/new": opened }), clock)
    await until("its output is closed", () => clock.waits().includes(exitGraceMillis))
    clock.advance(exitGraceMillis - 1)
    const failed = link.prompt("hello")
    failed.catch(() => undefined)
    await until("the turn has failed, and has a grace of its own", () => clock.waits().length === 2)
    clock.advance(1)
    await link.over
    await expect(failed).rejects.toMatchObject({
      code: "agent_failed",
      message: "Scripted agent cannot be talked to: it closed its standard output"
    })
    await link.end()
  })

  it("for a program that reads no more fails with that reason", async () => {
    const opened = { says: { result: { sessionId: "s" } }, thenDeaf: true }
    const link = await start(speakingAgent({ ...initialized(), "session/new": opened }))
    await expect(link.prompt("hello")).rejects.toMatchObject({
      code: "agent_failed",
      message: "Scripted agent cannot be talked to: it does not read its standard input"
    })
    await link.end()
  })
})
