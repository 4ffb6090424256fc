/** The questions of the integrator's commands, on a terminal of their own: how they are ended instead of answered. */
import { afterEach, expect, it } from "vitest"
import { hubProgram } from "../support/hub-program.ts"
import { type OnTerminal, onTerminal } from "../support/pseudo-terminal.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"

let running: OnTerminal | undefined
afterEach(() => running?.kill())

const endings = [
  ["Ctrl-C", (on: OnTerminal) => on.type("\x03")],
  ["Ctrl-D", (on: OnTerminal) => on.type("\x04")],
  ["SIGTERM", (on: OnTerminal) => void process.kill(on.processes().at(-1)!, "SIGTERM")]
] as const

it.each([
  ...endings.map(([name, end]) => [name, "API key", ["login", "--url", "http://127.0.0.1:9"], {}, end] as const),
  ...endings.map(
    ([name, end]) =>
      [
        name,
        "E-mail: ",
        ["logs", "list", "--account"],
        { HUB_URL: "http://127.0.0.1:9", HUB_KEY: "hub_x" },
        end
      ] as const
  )
])("%s at %s ends it with 130 at once: nothing is taken for an answer", async (_, question, words, env, end) => {
  const home = testFolder("asked")
  running = onTerminal([process.execPath, hubProgram, ...words], { PATH: process.env["PATH"], HOME: home, ...env })
  const { screen, ended } = running
  await until("it asks", () => screen().includes(question))
  end(running)
  expect(await ended).toBe(130)
  expect(screen().slice(screen().indexOf(question) + question.length)).not.toMatch(/Password|Open http|gave no answer/u)
})
