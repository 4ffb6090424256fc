/**
 * The proxy of compose.yaml, run here: its own configuration, with the addresses of this machine in place of the
 * nodes'. Owns its start and end. Where there is no nginx the tests that need it are left out, and say so.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../bench/servers/free-port.ts"
import { fileText } from "./manifests.ts"
import { until } from "./until.ts"

const found = (): boolean => {
  try {
    execFileSync("nginx", ["-v"], { stdio: "ignore" })
    return true
  } catch {
    process.stderr.write("No nginx on this machine: the test of the proxy is left out.\n")
    return false
  }
}

/** Whether there is an nginx to test with. */
export const hasNginx = found()

/** A running proxy. */
export interface TestNginx {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts it before these nodes (`host:port`), as many as compose.yaml has. */
export const startNginx = async (nodes: ReadonlyArray<string>): Promise<TestNginx> => {
  const folder = mkdtempSync(join(tmpdir(), "hub-nginx-"))
  const port = await freePort()
  const left = [...nodes]
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
    .join("\n")
  const conf = fileText("deploy/compose/nginx.conf")
    .replace("pid /tmp/nginx.pid;", `pid ${join(folder, "nginx.pid")};`)
    .replace(/^worker_processes .*$/mu, "worker_processes 1;\ndaemon off;")
    .replace(/^worker_rlimit_nofile .*$/mu, "")
    .replace(/worker_connections \d+;/u, "worker_connections 256;")
    .replace("error_log /dev/stderr warn;", `error_log ${join(folder, "error.log")} warn;`)
    .replace("http {\n", `http {\n${paths}\n`)
    .replace(/(?<=^\s+server )\S+:\d+(?= )/gmu, () => left.shift()!)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
  const file = join(folder, "nginx.conf")
  writeFileSync(file, conf)
  const child = spawn("nginx", ["-e", join(folder, "error.log"), "-c", file, "-p", folder], { stdio: "ignore" })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  process.once("exit", () => child.kill("SIGKILL"))
  const url = `http://127.0.0.1:${port}`
  await until("the proxy answers", async () => (await fetch(`${url}/healthz`)).ok)
  return {
    url,
    close: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
