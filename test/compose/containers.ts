/**
 * The roles of a compose file as containers of podman. Owns their start in order, their end, and that nothing of them
 * is left; what must hold of them is judged elsewhere.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { until } from "../support/until.ts"
import type { ComposeProject, Role } from "./podman-options.ts"

const run = promisify(execFile)

/** Further words for podman, where the machine wants some, as deploy/image/check.sh takes them. */
const words = (setting: string): ReadonlyArray<string> => (process.env[setting] ?? "").split(" ").filter(Boolean)

/** Which image runs in the place of that which compose.yaml names. */
export type ImageOf = (role: Role) => string

/** Runs podman; gives what it printed, both streams for logs. */
export const podman = async (args: ReadonlyArray<string>, settings: Readonly<Record<string, string>> = {}) => {
  const all = [...words("ENGINE_FLAGS"), ...words("PODMAN_FLAGS"), ...args]
  const env = { ...process.env, ...settings }
  const { stdout, stderr } = await run("podman", all, { env, maxBuffer: 64 * 1_024 * 1_024 })
  return { out: stdout.trim(), both: stdout + stderr }
}

/** What runs of a compose file. */
export class Containers {
  private readonly project: ComposeProject
  private readonly imageOf: ImageOf
  private readonly name: string

  constructor(project: ComposeProject, name: string, imageOf: ImageOf) {
    this.project = project
    this.name = name
    this.imageOf = imageOf
  }

  /** The container of a role. */
  of(role: string): string {
    return `${this.name}-${role}`
  }

  /** Makes networks and volumes. */
  async prepare(): Promise<void> {
    for (const { name, options } of this.project.networks) await podman(["network", "create", ...options, name])
    for (const volume of this.project.volumes) await podman(["volume", "create", volume])
  }

  /** Makes the container of a role and starts it, when what it waits for is healthy. */
  async start(role: Role): Promise<void> {
    for (const other of role.after) await this.becomesHealthy(other)
    const named = ["--detach", "--name", this.of(role.name), ...words("RUN_FLAGS")]
    await podman(["run", ...named, ...role.options, this.imageOf(role), ...role.words], role.settings)
  }

  /** Starts a container again that was stopped. */
  async startAgain(role: string): Promise<void> {
    await podman(["start", this.of(role)])
  }

  /** Asks its own health check until that says yes. Without systemd podman itself asks none. */
  async becomesHealthy(role: string): Promise<void> {
    const isHealthy = async () => {
      await podman(["healthcheck", "run", this.of(role)])
      return true
    }
    await until(`${role} is healthy`, isHealthy, 120_000).catch(async (error) => {
      throw new Error(`${error.message}\n${await this.logs(role)}`)
    })
  }

  /** SIGTERM (or the image's own signal), and its end; gives the exit code. */
  async stop({ name, stopSeconds }: Role): Promise<number> {
    await podman(["stop", "--time", String(stopSeconds), this.of(name)])
    return Number(await this.inspect(name, "{{.State.ExitCode}}"))
  }

  /** Something of what podman says of it, by a template. */
  async inspect(role: string, template: string): Promise<string> {
    return (await podman(["inspect", "--format", template, this.of(role)])).out
  }

  /** Runs a program in it. */
  async inside(role: string, ...args: ReadonlyArray<string>): Promise<string> {
    return (await podman(["exec", this.of(role), ...args])).out
  }

  /** The last it printed. */
  async logs(role: string, lines = 30): Promise<string> {
    return (await podman(["logs", "--tail", String(lines), this.of(role)])).both
  }

  /** Takes all away, and what the caller made beside; what is not there is passed over. Gives what is still there. */
  async remove(more: ReadonlyArray<string>, networks: ReadonlyArray<string>): Promise<ReadonlyArray<string>> {
    const names = [...this.project.roles.map(({ name }) => this.of(name)).toReversed(), ...more]
    const gone = (args: ReadonlyArray<string>) => podman(args).catch(() => undefined)
    for (const name of names) await gone(["rm", "--force", "--time", "0", "--volumes", name])
    for (const volume of this.project.volumes) await gone(["volume", "rm", "--force", volume])
    const all = [...this.project.networks.map(({ name }) => name), ...networks]
    for (const one of all) await gone(["network", "rm", "--force", one])
    const lists = [
      ["ps", "--all"],
      ["volume", "ls"],
      ["network", "ls"]
    ].map(async (list) => {
      const format = list[0] === "ps" ? "{{.Names}}" : "{{.Name}}"
      return (await podman([...list, "--format", format])).out
        .split("\n")
        .filter((one) => one.startsWith(`${this.name}-`))
    })
    return (await Promise.all(lists)).flat()
  }
}
