/** Our shared-secret credentials against a real coturn and its own client: they allocate a relay, others do not. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/servers/free-port.ts"
import { sharedSecret } from "../../../src/outbound/turn-source.ts"
import { until } from "../../support/until.ts"

const run = promisify(execFile)
const secret = "a shared secret"
const missing = await run("turnserver", ["--version"]).then(
  () => false,
  (error: { code?: unknown }) => error.code === "ENOENT"
)
if (missing && process.env["CI"] === "true") throw new Error("coturn is missing: apt-get install coturn")

describe.skipIf(missing)("TURN credentials from the shared secret", () => {
  let server: ChildProcess
  let port: number
  const folder = mkdtempSync(join(tmpdir(), "hub-coturn-"))

  /** Whether the client gets a relay and its packets come back. */
  const allocates = async (username: string, credential: string): Promise<boolean> => {
    const words = ["-y", "-c", "-n", "1", "-m", "1", "-u", username, "-w", credential, "-p", String(port), "127.0.0.1"]
    try {
      const { stdout } = await run("turnutils_uclient", words, { timeout: 15_000, killSignal: "SIGKILL" })
      return /tot_recv_msgs=[1-9]/u.test(stdout)
    } catch {
      return false
    }
  }

  beforeAll(async () => {
    port = await freePort()
    server = spawn(
      "turnserver",
      [
        "--use-auth-secret",
        `--static-auth-secret=${secret}`,
        "--realm=hub.test",
        "--listening-ip=127.0.0.1",
        "--relay-ip=127.0.0.1",
        `--listening-port=${port}`,
        "--allow-loopback-peers",
        "--no-cli",
        "--no-tls",
        "--no-dtls",
        "--cli-password=unused",
        `--pidfile=${join(folder, "pid")}`,
        `--userdb=${join(folder, "db")}`,
        "--log-file=stdout",
        "-c",
        "/dev/null"
      ],
      { stdio: "ignore", cwd: folder }
    )
    const answers = () => run("turnutils_stunclient", ["-p", String(port), "127.0.0.1"], { timeout: 2_000 })
    await until("coturn answers", async () => (await answers()).stdout.includes("UDP reflexive addr"))
  })
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once("exit", resolve))
    server.kill("SIGKILL")
    await ended
    rmSync(folder, { recursive: true, force: true })
  })

  const issue = async (of: string) => {
    const issued = await Effect.runPromise(sharedSecret([`turn:127.0.0.1:${port}`], of)("acc_one"))
    return issued.servers[0]!
  }

  it("allocate a relay", async () => {
    const { username, credential } = await issue(secret)
    expect(await allocates(username!, credential!)).toBe(true)
  })

  it("do not when they are altered, expired, or of another secret", async () => {
    const { username, credential } = await issue(secret)
    const stale = username!.replace(/^\d+/u, "1000")
    const foreign = await issue("another secret")
    const tries = await Promise.all([
      allocates(username!, `${credential!.startsWith("A") ? "B" : "A"}${credential!.slice(1)}`),
      allocates(stale, credential!),
      allocates(foreign.username!, foreign.credential!)
    ])
    expect(tries).toEqual([false, false, false])
  })
})
