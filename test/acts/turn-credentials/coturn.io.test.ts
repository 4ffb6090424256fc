/**
 * Our shared-secret credentials against a real coturn and its own client: they allocate a relay, others do not. And the
 * coturn of compose.yaml: to whom it relays.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/servers/free-port.ts"
import { sharedSecret } from "../../../src/outbound/turn-source.ts"
import { manifests } from "../../support/deployment-files.ts"
import { has } from "../../support/machine.ts"
import { until } from "../../support/until.ts"

const run = promisify(execFile)
const secret = "a shared secret"
const missing = !has.coturn

/** A coturn with these words and our secret, once it answers. */
const coturn = async (folder: string, port: number, words: ReadonlyArray<string>): Promise<ChildProcess> => {
  const own = [`--static-auth-secret=${secret}`, `--listening-port=${port}`, "--listening-ip=127.0.0.1"]
  const files = [`--pidfile=${join(folder, "pid")}`, `--userdb=${join(folder, "db")}`, "-c", "/dev/null"]
  const server = spawn("turnserver", [...words, ...own, "--relay-ip=127.0.0.1", ...files], {
    stdio: "ignore",
    cwd: folder
  })
  const answers = () => run("turnutils_stunclient", ["-p", String(port), "127.0.0.1"], { timeout: 2_000 })
  await until("coturn answers", async () => (await answers()).stdout.includes("UDP reflexive addr"))
  return server
}

const killed = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}

const issue = async (port: number, of: string) => {
  const issued = await Effect.runPromise(sharedSecret([`turn:127.0.0.1:${port}`], of)("acc_one"))
  return issued.servers[0]!
}

describe.skipIf(missing)("TURN credentials from the shared secret", () => {
  let server: ChildProcess
  let port: number
  const folder = mkdtempSync(join(tmpdir(), "hub-coturn-"))

  /** Whether the client gets a relay and its packets come back. */
  const allocates = async (username: string, credential: string): Promise<boolean> => {
    const words = ["-y", "-c", "-n", "1", "-m", "1", "-u", username, "-w", credential, "-p", String(port), "127.0.0.1"]
    try {
      const { stdout } = await run("turnutils_uclient", words)
      return /tot_recv_msgs=[1-9]/u.test(stdout)
    } catch {
      return false
    }
  }

  beforeAll(async () => {
    port = await freePort()
    const words = [
      "--use-auth-secret",
      "--realm=hub.test",
      "--allow-loopback-peers",
      "--no-cli",
      "--cli-password=unused"
    ]
    server = await coturn(folder, port, [...words, "--no-tls", "--no-dtls", "--log-file=stdout"])
  })
  afterAll(async () => {
    await killed(server)
    rmSync(folder, { recursive: true, force: true })
  })

  it("allocate a relay", async () => {
    const { username, credential } = await issue(port, secret)
    expect(await allocates(username!, credential!)).toBe(true)
  })

  it("do not when they are altered, expired, or of another secret", async () => {
    const { username, credential } = await issue(port, secret)
    const stale = username!.replace(/^\d+/u, "1000")
    const foreign = await issue(port, "another secret")
    const tries = await Promise.all([
      allocates(username!, `${credential!.startsWith("A") ? "B" : "A"}${credential!.slice(1)}`),
      allocates(stale, credential!),
      allocates(foreign.username!, foreign.credential!)
    ])
    expect(tries).toEqual([false, false, false])
  })
})

describe.skipIf(missing)("the coturn of compose.yaml", () => {
  const folder = mkdtempSync(join(tmpdir(), "hub-coturn-compose-"))
  let server: ChildProcess
  let port: number
  beforeAll(async () => {
    port = await freePort()
    const command: ReadonlyArray<string> = manifests("compose.yaml")[0]!["services"].coturn.command
    const words = command.filter((word) => !/^--(?:listening|min|max)-port=/u.test(word))
    server = await coturn(folder, port, words)
  })
  afterAll(async () => {
    await killed(server)
    rmSync(folder, { recursive: true, force: true })
  })

  /** What it answers a client that wants to send to a peer: an error, or success. */
  const answered = async (peer: string): Promise<string> => {
    const { username, credential } = await issue(port, secret)
    const who = ["-u", username!, "-w", credential!]
    const words = ["-v", "-c", "-n", "1", ...who, "-p", String(port), "-e", peer, "127.0.0.1"]
    // by lines, as the client goes on for long where no peer answers
    const client = spawn("stdbuf", ["-oL", "turnutils_uclient", ...words], { stdio: ["ignore", "pipe", "ignore"] })
    let said = ""
    client.stdout.on("data", (text) => {
      said += text
    })
    try {
      return await until("it is answered", () => /cb response received:\s+\S+: : (success|.*error .+)/u.exec(said)?.[1])
    } finally {
      if (client.exitCode === null) await killed(client)
    }
  }

  it("relays to the open network, and to no address of this machine or beside it", async () => {
    // an address of documentation stands for the open network
    expect(await answered("203.0.113.10")).toBe("success")
    for (const peer of ["127.0.0.1", "0.0.0.0", "10.1.1.1", "172.30.83.11", "192.168.0.1"])
      expect(await answered(peer), peer).toBe("channel bind: error 403 (Forbidden IP)")
  })
})
