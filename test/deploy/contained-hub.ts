/**
 * A hub as a container runs it, without an engine: process 1 of its own process ids, as a user without a capability, on
 * a file system that it cannot write but for its data folder. Owns its start, its signals and its end; only root on
 * Linux may have one.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, readdirSync, readFileSync } from "node:fs"
import { hubProgram } from "../support/hub-program.ts"
import { has } from "../support/machine.ts"
import { root } from "../support/root.ts"
import { until } from "../support/until.ts"

/** As the image's user. */
const uid = 1000
const asUser = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"]
const withoutRights = [...asUser, "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]
const apart = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--"]

const works = (...[command, ...words]: ReadonlyArray<string>): boolean => spawnSync(command!, words).status === 0

/** True where the tests of it are left out: also where the user of the image may not read this folder. */
export const containedMissing = !has.namespaces || !works(...withoutRights, process.execPath, "--check", hubProgram)

/** Nothing but the data folder can be written; then the rest of the words is run. */
const readOnly = `set -e
  data=$1; shift
  mount --bind "$data" "$data"
  mount -o remount,bind,ro /
  tree=$(findmnt -n -o TARGET -T "$1"); shift
  [ "$tree" = / ] || mount -o remount,bind,ro "$tree"
  exec "$@"`

/** A hub. */
export interface ContainedHub {
  readonly url: string
  readonly said: () => string
  /** A line of the system's word on it, such as `CapBnd`. */
  readonly status: (field: string) => string
  /** What it may do with a path, asked by a process beside it: `-w` for writing. */
  readonly may: (test: string, path: string) => boolean
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<number | null>
}

const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, "utf8")

const isFirst = (pid: number): boolean => {
  try {
    return /^NSpid:\t\d+\t1$/mu.test(statusOf(pid))
  } catch {
    return false // it ended
  }
}

/** The process below this one that is process 1 where it is. */
const firstBelow = (pid: number): number | undefined =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
    .map(Number)
    .find((child) => child > 0 && isFirst(child))

const running = new Set<ChildProcess>()

/** Kills all that a test left: process 1 itself, which a change of user keeps from ending with its parent. */
export const endContainedHubs = async (): Promise<void> => {
  for (const one of running) {
    const gone = once(one, "close")
    process.kill(firstBelow(one.pid!) ?? one.pid!, "SIGKILL")
    await gone
  }
}

/** Starts `hub start` in a data folder; ready when this ends. */
export const containedHub = async (dataDir: string, env: Readonly<Record<string, string>>): Promise<ContainedHub> => {
  chownSync(dataDir, uid, uid)
  const [command, ...words] = [...apart, "sh", "-c", readOnly, "sh", dataDir, root, ...withoutRights]
  const child = spawn(command!, [...words, process.execPath, hubProgram, "start"], {
    env: { PATH: process.env["PATH"] ?? "", HUB_PORT: "0", HUB_DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  const ended = once(child, "close").then(([code]) => code as number | null)
  void ended.then(() => running.delete(child))
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  const address = (): string | undefined => /"address":"([^"]+)"/u.exec(said)?.[1]
  const settled = () => until("the hub serves or ends", () => address() ?? child.exitCode !== null)
  // as in hub-process.ts: a busy machine needs longer for a start than for anything else
  await settled().catch(settled)
  const url = address()
  if (url === undefined) throw new Error(`the hub ended with ${await ended}: ${said}`)
  const pid = await until("process 1 is there", () => firstBelow(child.pid!))
  return {
    url,
    said: () => said,
    status: (field) => new RegExp(`^${field}:\\t(.*)$`, "mu").exec(statusOf(pid))?.[1] ?? "",
    may: (test, path) => works("nsenter", "--target", String(pid), "--mount", ...asUser, "test", test, path),
    signal: (name) => void process.kill(pid, name),
    ended
  }
}
