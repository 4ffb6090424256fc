/**
 * `hub daemon`: the reference daemon as a program. Owns its options, signals and exit code; daemon.ts does the work.
 */
import { resolve } from "node:path"
import { ArgumentError, asksHelp, type Flags, flagLines, readArguments } from "../src/cli/arguments.ts"
import { plainLines } from "../src/runtime/escape.ts"
import { realClock } from "./clock.ts"
import { Daemon } from "./daemon.ts"
import { warningsOf } from "./environment.ts"
import { consoleLog } from "./log.ts"
import { type Provider, readProviders } from "./providers.ts"
import { textOfFile, words } from "./refusal.ts"

const flags = {
  url: { kind: "url", says: "the hub, such as http://127.0.0.1:8080 (needed)" },
  "token-file": { kind: "file", says: "a file that holds this daemon's token (chmod 600), or" },
  token: {
    kind: "text",
    says: "the token itself, which then stands in the list of processes; or HUB_TOKEN in the environment"
  },
  providers: {
    kind: "file",
    says: "which agents this machine has (docs/daemon.md); without it: terminal commands only"
  },
  name: { kind: "text", says: "a nickname for this machine" },
  dir: { kind: "folder", says: "where commands and agents run when nothing else is said; this folder by default" }
} satisfies Flags

/** How it is called. */
export const usage = `hub daemon: connects this machine to a hub and does what the hub's owner asks of it

${flagLines(flags).join("\n")}

For who runs the hub: hub daemon list, hub daemon show, hub daemon disconnect (--help after each).
`

/** What the daemon was asked to be. */
export interface DaemonOptions {
  readonly url: string
  readonly token: string
  readonly name: string | undefined
  readonly providers: ReadonlyArray<Provider>
  readonly base: string
  /** What a person should know before anything is sent. */
  readonly warnings: ReadonlyArray<string>
}

/** Where the hub's socket is, from any address of it. */
export const socketUrl = (url: string): string => {
  if (!URL.canParse(url)) throw new ArgumentError(`--url is no address: ${url}`)
  const at = new URL(url)
  const protocols: Record<string, string> = { "http:": "ws:", "https:": "wss:", "ws:": "ws:", "wss:": "wss:" }
  const protocol = protocols[at.protocol]
  if (protocol === undefined) throw new ArgumentError(`--url must begin with http, https, ws or wss: ${url}`)
  const path = at.pathname.endsWith("/api/v1/daemons/connect")
    ? at.pathname
    : `${at.pathname.replace(/\/+$/u, "")}/api/v1/daemons/connect`
  return `${protocol}//${at.host}${path}`
}

/** Options from arguments. Throws with what is wrong. */
export const readOptions = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>> = process.env
): DaemonOptions | "help" => {
  if (asksHelp(args)) return "help"
  const { values } = readArguments({ name: "it", flags }, args)
  if (values.url === undefined) throw new ArgumentError("--url is missing")
  const file = values["token-file"]
  const given = values.token ?? environment["HUB_TOKEN"]
  const token = file === undefined ? given : textOfFile("the token file", file).trim()
  if (token === "" && file !== undefined) throw new Error(`the token file ${file} is empty`)
  if (token === undefined || token === "") throw new ArgumentError("--token-file, --token or HUB_TOKEN is missing")
  const url = socketUrl(values.url)
  return {
    url,
    warnings: warningsOf(url, file),
    token,
    name: values.name,
    providers: values.providers === undefined ? [] : readProviders(resolve(values.providers)),
    base: resolve(values.dir ?? ".")
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Runs until a signal (0) or until the hub wants no more of us or a file it needs cannot be used (1); 2 when it was
 * called wrongly.
 */
export const daemon = async (args: ReadonlyArray<string>): Promise<number> => {
  let options: DaemonOptions | "help"
  try {
    options = readOptions(args)
  } catch (error) {
    const misused = error instanceof ArgumentError
    process.stderr.write(plainLines(`hub daemon: ${words(error)}\n${misused ? `\n${usage}` : ""}`))
    return misused ? 2 : 1
  }
  if (options === "help") {
    process.stdout.write(plainLines(usage))
    return 0
  }
  const log = consoleLog(realClock.now)
  for (const warning of options.warnings) log(warning)
  const { promise, resolve: end } = Promise.withResolvers<number>()
  const running = new Daemon({ ...options, clock: realClock, log, refused: () => end(1) })
  const stop = (name: NodeJS.Signals): void => {
    log("stopping", { signal: name })
    end(0)
  }
  for (const name of signals) process.on(name, stop)
  running.start()
  const code = await promise
  await running.stop()
  for (const name of signals) process.off(name, stop)
  log("stopped")
  return code
}
