/**
 * `hub daemon`: the reference daemon as a program. Owns its options, signals and exit code; daemon.ts does the work.
 */

import { hash } from "node:crypto"
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { dirname, resolve } from "node:path"
import { ArgumentError, argued, asksHelp, type Flags, flagLines, readArguments } from "../src/cli/arguments.ts"
import { plainLines } from "../src/runtime/escape.ts"
import { unknownToken } from "./backoff.ts"
import { realClock } from "./clock.ts"
import { daemonSecret } from "./credential.ts"
import { Daemon } from "./daemon.ts"
import { deferred } from "./deferred.ts"
import { warningsOf } from "./environment.ts"
import { hubUrl, socketUrl } from "./hub-address.ts"
import { forgetMachine, forgetToken, JoinRefused, join } from "./join.ts"
import { connectAddressMillisMax, updateExit } from "./limits.ts"
import { consoleLog, type Log } from "./log.ts"
import { makeMachineHealth } from "./machine-health.ts"
import { readState, usualStateFile } from "./machine-state.ts"
import { type Provider, readProviders } from "./providers.ts"
import { proxyOf } from "./proxy.ts"
import { FileUnusable, textOfFile, words } from "./refusal.ts"

const flags = {
  url: { kind: "url", says: "the hub, such as http://127.0.0.1:8080 (needed)" },
  "token-file": { kind: "file", says: "a file that holds this daemon's token (chmod 600), or" },
  token: {
    kind: "text",
    says: "the token itself, which then stands in the list of processes; or HUB_TOKEN in the environment"
  },
  join: {
    kind: "text",
    says: "a join key, by which this machine enrols itself at its first start; or HUB_JOIN_KEY in the environment"
  },
  state: { kind: "file", says: "where a machine that joined keeps its own token; ~/.local/state/hub/daemon.json" },
  "fresh-identity": {
    kind: "switch",
    says: "forgets whose machine this is and joins anew: for one that was made from another's disk image; needs a join key"
  },
  tags: { kind: "text", says: "what this machine is, such as env=prod,gpu (docs/fleets.md)" },
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

/** By which key a machine joins, and where it keeps what it is then. */
export interface JoinBy {
  /** Undefined: it has joined, and joins no other time. */
  readonly key: string | undefined
  readonly stateFile: string
  /** What is kept there is of another machine, of which this one is a copy. */
  readonly isCopy: boolean
}

/** What the daemon was asked to be. */
export interface DaemonOptions {
  readonly url: string
  /** Empty where it joins by a key. */
  readonly token: string
  readonly joinBy?: JoinBy
  readonly tags: Readonly<Record<string, string>>
  readonly name: string | undefined
  readonly providers: ReadonlyArray<Provider>
  readonly base: string
  /** A folder of its installation, where the hub may put later programs. */
  readonly updates: string | undefined
  /** Where the policies of its owner are kept. */
  readonly policyFile: string
  /** What a person should know before anything is sent. */
  readonly warnings: ReadonlyArray<string>
}

/** `env=prod,gpu` as the frame has it. The hub says what of it does not fit. */
const readTags = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .map((one) => {
        const [key = "", ...value] = one.split("=")
        return [key.trim(), value.join("=").trim()]
      })
  )

/** A secret that was given cannot be one; how the program is called is not in question. */
class SecretUnusable extends ArgumentError {}

/** The secret of the first place that has one. An empty one counts as none. */
const given = (
  kind: "token" | "join key",
  ...places: ReadonlyArray<readonly [place: string, text: string | undefined]>
): string | undefined => {
  const [place, text] = places.find(([, one]) => one !== undefined) ?? []
  if (place === undefined || text === undefined || text.trim() === "") return undefined
  try {
    return argued(() => daemonSecret(kind, place, text))
  } catch (error) {
    throw error instanceof ArgumentError ? new SecretUnusable(error.message) : error
  }
}

/** Options from arguments. Throws with what is wrong. */
export const readOptions = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>> = process.env
): DaemonOptions | "help" => {
  if (asksHelp(args)) return "help"
  const { values } = readArguments({ name: "it", flags }, args)
  if (values.url === undefined) throw new ArgumentError("--url is missing")
  const { join: joinFlag, token: tokenFlag, "token-file": file } = values
  if (joinFlag !== undefined && (file !== undefined || tokenFlag !== undefined)) {
    throw new ArgumentError("--join takes no --token and no --token-file: the machine gets its own")
  }
  const joinKey = given("join key", ["--join", joinFlag], ["HUB_JOIN_KEY", environment["HUB_JOIN_KEY"]])
  const text = file === undefined ? undefined : textOfFile("the token file", file)
  if (text?.trim() === "") throw new Error(`the token file ${file} is empty`)
  const isCopy = values["fresh-identity"] === true
  if (isCopy && joinKey === undefined)
    throw new ArgumentError("--fresh-identity needs a join key: --join or HUB_JOIN_KEY")
  const token = isCopy
    ? undefined
    : given("token", ["the file", text], ["--token", tokenFlag], ["HUB_TOKEN", environment["HUB_TOKEN"]])
  const url = socketUrl(values.url)
  const proxy = proxyOf(url)
  const stateFile = resolve(values.state ?? usualStateFile(environment))
  // a machine that has joined needs no key any more
  const hasJoined = (): boolean => readState(stateFile, url).token !== undefined
  const joins = joinFlag !== undefined || (token === undefined && (joinKey !== undefined || hasJoined()))
  if (!joins && token === undefined)
    throw new ArgumentError("--token-file, --token or HUB_TOKEN is missing (or --join)")
  return {
    url,
    warnings: [
      ...warningsOf(url, file),
      ...(proxy === undefined ? [] : [`reaching the hub through the proxy ${proxy.host}`])
    ],
    token: joins ? "" : token!,
    ...(joins && { joinBy: { key: joinKey, stateFile, isCopy } }),
    tags: readTags(values.tags ?? ""),
    name: values.name,
    providers: values.providers === undefined ? [] : readProviders(resolve(values.providers)),
    base: resolve(values.dir ?? "."),
    updates: environment["HUB_DAEMON_UPDATES"] || undefined,
    policyFile: `${joins || values.state !== undefined ? stateFile : tokenStateFile(environment, url, token!)}.policies`
  }
}

/** Beside the usual state file, one for each token: several daemons of a machine may bring theirs. */
const tokenStateFile = (environment: Readonly<Record<string, string | undefined>>, url: string, token: string) =>
  resolve(dirname(usualStateFile(environment)), hash("sha256", `${url} ${token}`, "hex").slice(0, 16))

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** How it ended where a later program of it is to be started. */
const replaced = Symbol("replaced")
type Ended = string | typeof replaced | undefined

/** Runs one daemon until it is told to stop (undefined) or until the hub refuses it for good: why. */
const runOne = async (options: DaemonOptions, token: string, log: Log, signal: AbortSignal) => {
  const { promise, resolve: end } = deferred<Ended>()
  const { updates: folder, url } = options
  const updates = folder === undefined ? undefined : { folder, hub: hubUrl(url), restart: () => end(replaced) }
  const running = new Daemon({
    ...options,
    updates,
    token,
    clock: realClock,
    log,
    health: makeMachineHealth(options.base),
    refused: end
  })
  const stop = (): void => end(undefined)
  signal.addEventListener("abort", stop)
  if (signal.aborted) stop()
  else running.start()
  const reason = await promise
  await running.stop()
  signal.removeEventListener("abort", stop)
  return reason
}

const codeOf = (ended: Ended): number => (ended === undefined ? 0 : ended === replaced ? updateExit : 1)

/** The same for a machine that joins by a key: where the hub has forgotten it, it joins once more. */
const runJoined = async (options: DaemonOptions, joinBy: JoinBy, log: Log, signal: AbortSignal): Promise<number> => {
  const { url, name } = options
  const { stateFile, key = "", isCopy } = joinBy
  if (isCopy) forgetMachine(stateFile, url)
  for (;;) {
    const hadToken = readState(stateFile, url).token !== undefined
    const state = await join({ stateFile, key, url, name, clock: realClock, log, signal })
    if (state?.token === undefined) return 0
    const reason = await runOne(options, state.token, log, signal)
    const code = codeOf(reason)
    if (code !== 1) return code
    // an ephemeral daemon is removed while it is away; one whose token was revoked is not wanted
    if (reason !== unknownToken || !hadToken || key === "") return 1
    forgetToken(stateFile, url)
    log("this machine was removed from the hub, and joins anew")
  }
}

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
    const explained = misused && !(error instanceof SecretUnusable)
    process.stderr.write(plainLines(`hub daemon: ${words(error)}\n${explained ? `\n${usage}` : ""}`))
    return misused ? 2 : 1
  }
  if (options === "help") {
    process.stdout.write(plainLines(usage))
    return 0
  }
  setDefaultAutoSelectFamilyAttemptTimeout(connectAddressMillisMax)
  const log = consoleLog(realClock.now)
  for (const warning of options.warnings) log(warning)
  const stopping = new AbortController()
  const stop = (name: NodeJS.Signals): void => {
    log("stopping", { signal: name })
    stopping.abort()
  }
  for (const name of signals) process.on(name, stop)
  const { signal } = stopping
  const { joinBy, token } = options
  let code: number
  try {
    if (joinBy !== undefined) code = await runJoined(options, joinBy, log, signal)
    else code = codeOf(await runOne(options, token, log, signal))
  } catch (error) {
    if (!(error instanceof JoinRefused || error instanceof FileUnusable)) throw error
    process.stderr.write(plainLines(`hub daemon: ${words(error)}\n`))
    code = 1
  }
  for (const name of signals) process.off(name, stop)
  log("stopped")
  return code
}
