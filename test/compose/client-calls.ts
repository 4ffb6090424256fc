/**
 * A person's way through what compose.yaml starts: an account, a daemon, commands, and each node replaced meanwhile.
 * Owns these steps and the daemon's process; how the roles are confined is judged elsewhere.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../support/root.ts"
import { until } from "../support/until.ts"
import { type CheckList, same } from "./check-list.ts"
import type { Containers } from "./containers.ts"
import type { Role } from "./podman-options.ts"

const email = "person@example.com"
const password = "a long password of a person"
const main = "/hub/src/main.ts"

/** What a person has after the first steps. */
export interface Signed {
  readonly session: string
  readonly key: string
  readonly daemonId: string
}

/** A person before a proxy, with a daemon of the project on this machine. */
export class Person {
  private readonly url: string
  private readonly containers: Containers
  private readonly folder = mkdtempSync(join(tmpdir(), "hub-compose-person-"))
  private daemon: ChildProcess | undefined
  private daemonSaid = ""

  constructor(url: string, containers: Containers) {
    this.url = url
    this.containers = containers
  }

  private async ask(bearer: string | undefined, path: string, body?: unknown) {
    const response = await fetch(`${this.url}${path}`, {
      headers: {
        "content-type": "application/json",
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` })
      },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    // biome-ignore lint/suspicious/noExplicitAny: answers of many routes, of which each step reads a member or two
    return JSON.parse(text) as any
  }

  /** Creates an account on a node's command line, and signs in, enrols a daemon and makes a key through the proxy. */
  async signUp(node: string): Promise<Signed> {
    const words = ["account", "create", "--email", email, "--password", password, "--plan", "pro", "--json"]
    await this.containers.inside(node, "node", main, ...words)
    const session = await this.signIn()
    const { key } = await this.ask(session, "/api/v1/api-keys", {
      name: "check",
      scopes: ["ide:read", "terminal:exec"]
    })
    const { daemonId, token } = await this.ask(session, "/api/v1/daemons/enroll", { name: "check" })
    this.startDaemon(token)
    return { session, key, daemonId }
  }

  /** Signs in through the proxy. */
  async signIn(): Promise<string> {
    return (await this.ask(undefined, "/api/v1/auth/login", { email, password })).token
  }

  private startDaemon(token: string): void {
    const env = { PATH: process.env["PATH"], HUB_TOKEN: token }
    const words = [join(root, "src/main.ts"), "daemon", "--url", this.url, "--dir", this.folder]
    this.daemon = spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "pipe"] })
    this.daemon.stderr!.on("data", (text) => {
      this.daemonSaid += text
    })
  }

  /** How often the daemon has come. */
  get arrivals(): number {
    return this.daemonSaid.match(/\bconnected\b.*dmn_/gu)?.length ?? 0
  }

  /** Asks a node's command line, which counts against no limit, until the daemon is online. */
  async seesDaemon(node: string, daemonId: string): Promise<void> {
    const isOnline = async () =>
      (await this.containers.inside(node, "node", main, "daemon", "list", "--online", "--json")).includes(daemonId)
    await until("the daemon is online", isOnline, 90_000).catch((error) => {
      throw new Error(`${error.message}; the daemon said:\n${this.daemonSaid.slice(-2_000)}`)
    })
  }

  /** Runs a command on the daemon; gives what it printed. */
  async command({ key, daemonId }: Signed, command: string): Promise<string> {
    const { result } = await this.ask(key, `/api/v1/daemons/${daemonId}/terminal`, { command })
    same("its exit code", String(result.exitCode), "0")
    return result.stdout
  }

  /** SIGTERM to a node while a command is under way: the command is answered, and the node drains to an end with 0. */
  async replace(role: Role, signed: Signed): Promise<void> {
    const file = join(this.folder, role.name)
    const answer = this.command(signed, `touch ${file}; until [ -e ${file}.end ]; do sleep 0.05; done; echo done`)
    answer.catch(() => {})
    await until("the command has begun", () => existsSync(file))
    const ended = this.containers.stop(role)
    ended.catch(() => {})
    await until("it drains", async () => (await this.containers.logs(role.name, 500)).includes('"message":"draining"'))
    writeFileSync(`${file}.end`, "")
    same("the command's answer", await answer, "done\n")
    same("its exit code", String(await ended), "0")
  }

  /** The relay that the hub hands out. */
  async relay(session: string) {
    const { iceServers } = await this.ask(session, "/api/v1/turn/credentials")
    const server = iceServers.find(({ username }: { username?: string }) => username !== undefined)
    if (server === undefined) throw new Error(`no relay is among ${JSON.stringify(iceServers)}`)
    return server as { urls: ReadonlyArray<string>; username: string; credential: string }
  }

  /** Ends the daemon; gives its exit code. */
  async end(): Promise<number | null> {
    rmSync(this.folder, { recursive: true, force: true })
    if (this.daemon === undefined || this.daemon.exitCode !== null) return this.daemon?.exitCode ?? null
    const gone = once(this.daemon, "exit")
    this.daemon.kill("SIGTERM")
    return (await gone)[0]
  }
}

/** The steps of a person that concern the hub, its proxy and its stores. */
export const useHub = async (roles: ReadonlyArray<Role>, containers: Containers, person: Person, checks: CheckList) => {
  const nodes = roles.filter(({ isBuilt }) => isBuilt)
  const [first, second] = nodes.map(({ name }) => name)
  const signed = await checks.check("proxy", "a person signs up, signs in, enrols a daemon and makes a key", () =>
    person.signUp(first!)
  )
  if (signed === undefined) return undefined
  await checks.check(second!, "it sees the daemon that came through the proxy", () =>
    person.seesDaemon(second!, signed.daemonId)
  )
  await checks.check("proxy", "a command runs on the daemon", async () =>
    same("it printed", await person.command(signed, "uname -s"), "Linux\n")
  )
  for (const role of nodes) {
    const other = nodes.find((one) => one !== role)!.name
    await checks.check(role.name, "SIGTERM: the command under way is answered, it drains and ends with 0", () =>
      person.replace(role, signed)
    )
    await checks.check(
      role.name,
      "meanwhile the other node has the daemon, and commands it through the proxy",
      async () => {
        await person.seesDaemon(other, signed.daemonId)
        same("it printed", await person.command(signed, "echo moved"), "moved\n")
      }
    )
    await checks.check(role.name, "it comes back", async () => {
      await containers.startAgain(role.name)
      await containers.becomesHealthy(role.name)
      await person.seesDaemon(role.name, signed.daemonId)
      same("it printed", await person.command(signed, "echo back"), "back\n")
    })
  }
  await checks.check("proxy", "the daemon has come to more than one node", async () => {
    if (person.arrivals < 2) throw new Error(`it came ${person.arrivals} times`)
  })
  return signed
}
