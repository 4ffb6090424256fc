/**
 * `hub-daemon install | uninstall | status | logs`: the options and sentences of these commands. Owns what they print
 * and their exit codes; install.ts does the work.
 */
import { spawnSync } from "node:child_process"
import { hash, randomInt } from "node:crypto"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { ArgumentError, argued, asksHelp, type Flags, flagLines, readArguments } from "../../src/cli/arguments.ts"
import { plainLines } from "../../src/runtime/escape.ts"
import { daemonSecret } from "../credential.ts"
import { hubUrl, socketUrl } from "../hub-address.ts"
import { restartSecondsFirst, restartSecondsLast } from "../limits.ts"
import { consoleLog } from "../log.ts"
import { readProviders } from "../providers.ts"
import { FileUnusable, words } from "../refusal.ts"
import { version } from "../version.ts"
import { type Installation, InstallRefused, install, uninstall } from "./install.ts"
import { layoutOf } from "./layout.ts"
import { serviceManagerOf } from "./service-manager.ts"

const dry = { kind: "switch", says: "only say what would be done" } as const
/** A unit has a word in a line. */
const refuse = (text: string): string | undefined =>
  /\p{Cc}/u.test(text) ? " has a control character in it" : undefined
const installFlags = {
  url: { kind: "url", required: true, says: "the hub" },
  join: { kind: "text", says: "a join key, by which this machine enrols itself; or HUB_JOIN_KEY in the environment" },
  "fresh-identity": {
    kind: "switch",
    says: "joins anew, as its token is another machine's: for one that was made from a disk image; needs a join key"
  },
  name: { kind: "text", refuse, says: "a nickname for this machine" },
  tags: { kind: "text", refuse, says: "what this machine is, such as env=prod,gpu" },
  providers: { kind: "file", refuse, says: "which agents this machine has" },
  dir: {
    kind: "folder",
    refuse,
    says: "where commands and agents run when nothing else is said; the user's home by default"
  },
  user: {
    kind: "text",
    says: "as whom commands run (root only); as before, else who called sudo, or a user hub-daemon"
  },
  "dry-run": dry
} satisfies Flags
const uninstallFlags = {
  purge: { kind: "switch", says: "also the machine's own token and its environment file" },
  "dry-run": dry
} satisfies Flags
const followFlags = { follow: { kind: "switch", says: "go on as more comes" } } satisfies Flags

/** The help of the commands. */
export const installUsage = `hub-daemon install: keeps this machine connected to a hub, by a service that starts with it

${flagLines(installFlags).join("\n")}

hub-daemon status                  whether it runs, and as which machine of which hub
hub-daemon logs [--follow]         what it said
hub-daemon uninstall [--purge]     takes it away; --purge also forgets the machine's token
hub-daemon run                     runs it here and now; --help shows its options
`

const out = (text: string): void => void process.stdout.write(plainLines(`${text}\n`))
const say = (line: string): void => out(`hub-daemon: ${line}`)

const isRoot = process.getuid?.() === 0
/** An installation is the machine's where root calls, or where this program is a part of that one. */
const layoutHere = () => {
  const system = layoutOf(true, homedir())
  return isRoot || process.argv[1]?.startsWith(system.prefix) === true ? system : layoutOf(false, homedir())
}

/** A secret of another kind in its place is said before anything is asked. */
const joinKeyOf = (flag: string | undefined): string | undefined => {
  const [place, text] = flag === undefined ? ["HUB_JOIN_KEY", process.env["HUB_JOIN_KEY"]] : ["--join", flag]
  return text === undefined || text.trim() === "" ? undefined : argued(() => daemonSecret("join key", place!, text))
}

/** What ends an installation early: it then takes back what it wrote. */
const interruption = (): AbortSignal => {
  const controller = new AbortController()
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => controller.abort())
  return controller.signal
}

const installationOf = (args: ReadonlyArray<string>): Installation => {
  const { values } = readArguments({ name: "install", flags: installFlags }, args)
  const { url, tags, providers, dir, name } = values
  if (url === undefined) throw new ArgumentError("--url is missing")
  if (values.user !== undefined && !isRoot)
    throw new ArgumentError("--user is for root: a user's own service runs as that user")
  // a service that cannot read it would end at its start
  if (providers !== undefined) readProviders(resolve(providers))
  const layout = layoutHere()
  const program = realpathSync(process.argv[1]!)
  const caller = process.env["SUDO_USER"]
  return {
    layout,
    manager: serviceManagerOf(layout),
    program,
    node: process.execPath,
    digest: hash("sha256", readFileSync(program), "hex").slice(0, 16),
    url: socketUrl(url),
    joinKey: joinKeyOf(values.join),
    isCopy: values["fresh-identity"] === true,
    interrupted: interruption(),
    name,
    user: values.user,
    usualUser: caller === undefined || caller === "root" ? "hub-daemon" : caller,
    options: Object.fromEntries(
      Object.entries({ name, tags, providers: providers && resolve(providers), dir: dir && resolve(dir) }).filter(
        (one): one is [string, string] => one[1] !== undefined
      )
    ),
    isDry: values["dry-run"] === true,
    restartSeconds: randomInt(restartSecondsFirst, restartSecondsLast),
    say,
    log: consoleLog(Date.now)
  }
}

const lingers = (user: string): boolean => existsSync(`/var/lib/systemd/linger/${user}`)

const doInstall = async (args: ReadonlyArray<string>): Promise<number> => {
  const installation = installationOf(args)
  say(await install(installation))
  const { layout, manager, isDry } = installation
  if (isDry || manager === undefined) return 0
  const user = process.env["USER"] ?? ""
  if (!layout.isSystem && manager.name === "systemd" && !lingers(user))
    say(`it ends when ${user || "you"} logs out; so that it stays: sudo loginctl enable-linger ${user}`)
  say("look after it by: hub-daemon status, hub-daemon logs, hub-daemon uninstall")
  return 0
}

const doUninstall = async (args: ReadonlyArray<string>): Promise<number> => {
  const { values } = readArguments({ name: "uninstall", flags: uninstallFlags }, args)
  const layout = layoutHere()
  const isDry = values["dry-run"] === true
  const isWhole = values.purge === true
  if (!existsSync(layout.current)) say("it is not installed here")
  await uninstall({ layout, manager: serviceManagerOf(layout), isDry, say }, isWhole)
  if (!isWhole && existsSync(layout.stateFile))
    say(`the machine's token stays in ${layout.stateFile}; remove it where the machine is not to come back`)
  return 0
}

/** The state as a service reads it: only its user and root may. */
const machineLine = (stateFile: string): string => {
  try {
    const { url, daemonId } = JSON.parse(readFileSync(stateFile, "utf8")) as Record<string, string>
    return `${daemonId ?? "not joined yet"} at ${hubUrl(url ?? "")}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === "EACCES" ? "only root may read which one it is" : "not joined yet"
  }
}

/** The program that the service starts: the one that its hub sent, where there is one that may be seen. */
const runs = ({ current, updates }: ReturnType<typeof layoutHere>): string => {
  try {
    return join(updates, readFileSync(join(updates, "current"), "utf8"))
  } catch {
    return realpathSync(current)
  }
}

const notRunning = 3
const doStatus = (args: ReadonlyArray<string>): number => {
  readArguments({ name: "status", flags: {} }, args)
  const layout = layoutHere()
  if (!existsSync(layout.current)) {
    say("it is not installed here")
    return notRunning
  }
  const manager = serviceManagerOf(layout)
  const state = manager?.state() ?? "no service manager runs here"
  out(
    `service  ${state}\nversion  ${version} installed\nmachine  ${machineLine(layout.stateFile)}\nprogram  ${runs(layout)}`
  )
  return state === "running" ? 0 : notRunning
}

const doLogs = (args: ReadonlyArray<string>): number => {
  const { values } = readArguments({ name: "logs", flags: followFlags }, args)
  const [program, ...rest] = serviceManagerOf(layoutHere())?.logs(values.follow === true) ?? []
  if (program === undefined) throw new InstallRefused("no service manager runs here that would keep a log")
  const { status } = spawnSync(program, rest, { stdio: "inherit" })
  return status ?? 1
}

const commands: Readonly<Record<string, (args: ReadonlyArray<string>) => number | Promise<number>>> = {
  install: doInstall,
  uninstall: doUninstall,
  status: doStatus,
  logs: doLogs
}

/** Runs one of the commands; undefined where the word is none of them. */
export const installCommand = async (word: string, args: ReadonlyArray<string>): Promise<number | undefined> => {
  if (!Object.hasOwn(commands, word)) return undefined
  if (asksHelp(args)) {
    out(installUsage)
    return 0
  }
  try {
    return await commands[word]!(args)
  } catch (error) {
    const isMisuse = error instanceof ArgumentError
    if (!(isMisuse || error instanceof InstallRefused || error instanceof FileUnusable)) throw error
    process.stderr.write(plainLines(`hub-daemon: ${words(error)}\n`))
    return isMisuse ? 2 : 1
  }
}
