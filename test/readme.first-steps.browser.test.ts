/** The first steps of the README as a newcomer takes them: hub, console, a machine, a command on it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { freePort } from "../bench/servers/free-port.ts"
import { credentialsFile } from "../src/cli/first-credentials.ts"
import { startBrowser, type TestBrowser } from "./support/browser.ts"
import { root } from "./support/root.ts"
import { testFolder } from "./support/temporary-folder.ts"
import { longPatienceMillis, until } from "./support/until.ts"

const section = /## The first command, in the console\n([\s\S]*?)\n## /u.exec(
  readFileSync(join(root, "README.md"), "utf8")
)![1]!
/** What the README says to press, in its order. */
const presses = [...section.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/gu)].map(([, label]) => label!)
/** What it says to type: the command that starts the hub, the address, the command for the machine. */
const typed = [...section.matchAll(/`([^`]+)`/gu)].map(([, text]) => text!)

interface Shell {
  readonly end: () => Promise<void>
}

const shells: Array<Shell> = []
let browser: TestBrowser | undefined
afterAll(async () => {
  await browser?.close()
  for (const shell of shells.toReversed()) await shell.end()
})

const shell = (command: string, env: Record<string, string> = {}): Shell => {
  const own = { PATH: process.env["PATH"], HOME: testFolder("home"), ...env }
  const child: ChildProcess = spawn("sh", ["-c", `exec ${command}`], { cwd: root, env: own, stdio: "ignore" })
  const one: Shell = {
    end: async () => {
      if (child.exitCode !== null) return
      child.kill("SIGTERM")
      await once(child, "exit")
    }
  }
  shells.push(one)
  return one
}

it("the first steps of the README lead from the start of the hub to the output of a command on a machine", async () => {
  expect(presses).toEqual(["Sign in", "Enrol a machine", "Make a key", "Go to the daemon", "Terminal", "Run"])
  expect(typed).toEqual(["./hub start", "owner@localhost", "uname -a"])
  const port = await freePort()
  const dataDir = testFolder("newcomer")
  shell(typed[0]!, { HUB_PORT: String(port), HUB_DATA_DIR: dataDir })
  const file = join(dataDir, credentialsFile)
  const shown = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "")
  const secret = await until("the password is there", () => /password\s+(\S+)/u.exec(shown())?.[1], longPatienceMillis)
  await until("it serves", async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)

  browser = await startBrowser()
  const { page, faults } = await browser.open()
  await page.goto(`http://127.0.0.1:${port}/console`)
  await page.getByLabel("E-mail").fill(typed[1]!)
  await page.getByLabel("Password").fill(secret)
  await page.getByRole("button", { name: presses[0]!, exact: true }).click()
  await page.getByRole("link", { name: presses[1]! }).first().click()
  await page.getByRole("button", { name: presses[2]! }).click()
  const command = await page.getByRole("region", { name: "Command in the hub's folder" }).textContent()
  const [, key, daemon] = /^HUB_JOIN_KEY=(\S+) (.*)$/u.exec(command!)!
  shell(daemon!.replace(".hub-daemon.json", join(dataDir, "daemon.json")), { HUB_JOIN_KEY: key! })
  await page.getByRole("link", { name: presses[3]! }).click()
  await page.getByRole("heading", { name: presses[4]! }).waitFor()
  await page.getByLabel("Command").first().fill(typed[2]!)
  await page.getByRole("button", { name: presses[5]!, exact: true }).click()
  await page.getByText("GNU/Linux").or(page.getByText("Darwin")).first().waitFor()
  expect(faults).toEqual([])
})
