/** A company's proxy: a tinyproxy that lets clients connect to any port. Owns its start and end, and what it logged. */
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { freePort } from "../../../bench/servers/free-port.ts"
import { has } from "../machine.ts"
import { testFolder } from "../temporary-folder.ts"
import { until } from "../until.ts"

/** Whether there is one to test with. */
export const hasTinyproxy = has.tinyproxy

/** Starts one until the end of the test; `password`: it asks everyone for `user` and this. */
export const startTinyproxy = async (password?: string) => {
  const folder = testFolder("tinyproxy")
  const log = join(folder, "log")
  const port = await freePort()
  const lines = [
    "Listen 127.0.0.1",
    `Port ${port}`,
    `LogFile "${log}"`,
    "LogLevel Connect",
    "Timeout 600",
    "MaxClients 50"
  ]
  writeFileSync(
    join(folder, "conf"),
    [...lines, ...(password === undefined ? [] : [`BasicAuth user ${password}`]), ""].join("\n")
  )
  const child = spawn("tinyproxy", ["-d", "-c", join(folder, "conf")], { stdio: "ignore" })
  onTestFinished(() => void child.kill("SIGKILL"))
  const logged = (): string => {
    try {
      return readFileSync(log, "utf8")
    } catch {
      return ""
    }
  }
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false))
      socket.once("connect", () => socket.destroy())
    })
  await until("the proxy listens", listens)
  const secret = password === undefined ? "" : `user:${password}@`
  return {
    url: `http://${secret}127.0.0.1:${port}`,
    /** The requests that it has had, each as its first line. */
    requests: (): ReadonlyArray<string> =>
      [...logged().matchAll(/Request \(file descriptor \d+\): (.*)$/gmu)].map(([, line]) => line!)
  }
}
