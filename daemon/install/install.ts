/**
 * Installs the daemon on this machine and takes it away again. Owns the steps and their order; a first installation
 * that fails leaves nothing. Knows no option of the command line and no text of a service's file.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join as joined } from "node:path"
import { realClock } from "../clock.ts"
import { hubUrl } from "../hub-address.ts"
import { forgetMachine, JoinRefused, join } from "../join.ts"
import { installJoinMillisMax } from "../limits.ts"
import type { Log } from "../log.ts"
import { type MachineState, readState, writeState } from "../machine-state.ts"
import { version } from "../version.ts"
import { asOwnerOf } from "./as-owner.ts"
import { type Files, makeFiles } from "./files.ts"
import { launcherText } from "./launcher.ts"
import { type Layout, programFile } from "./layout.ts"
import { environmentText, serviceUser } from "./service-files.ts"
import { type Call, call, type ServiceManager } from "./service-manager.ts"

/** It was not installed; why, in one sentence. */
export class InstallRefused extends Error {
  override readonly name = "InstallRefused"
}

/** What is installed, where and for whom. */
export interface Installation {
  readonly layout: Layout
  readonly manager: ServiceManager | undefined
  /** This program's file. */
  readonly program: string
  readonly node: string
  /** The first characters of the program's SHA-256. */
  readonly digest: string
  /** The hub's socket. */
  readonly url: string
  readonly joinKey: string | undefined
  /** Its token is another machine's, of whose disk this one is a copy: it joins anew. */
  readonly isCopy: boolean
  readonly name: string | undefined
  /** Of the whole machine: as whom commands run; undefined: as before, else as `usualUser`. */
  readonly user: string | undefined
  /** It is made where it is missing. */
  readonly usualUser: string
  /** Further options of `hub-daemon run`, by name; those of an installation before stay where none is given. */
  readonly options: Readonly<Record<string, string>>
  /** The person gives it up: by Ctrl-C, or a signal. */
  readonly interrupted: AbortSignal
  readonly isDry: boolean
  readonly restartSeconds: number
  readonly say: (line: string) => void
  readonly log: Log
  readonly run?: Call
}

/** With the user that it is for. */
interface Settled extends Installation {
  readonly user: string
}

const userBefore = ({ layout, manager }: Installation): string | undefined =>
  layout.isSystem && manager !== undefined && existsSync(manager.file)
    ? serviceUser(readFileSync(manager.file, "utf8"))
    : undefined

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Of the service's user, once it runs: what stands in it is that user's word. */
const stateFolder = ({ stateFile }: Layout): string => dirname(stateFile)

/** The service's user and group; makes the user. */
const ownerOf = ({ layout, user, isDry, say, run = call }: Settled): Owner | undefined => {
  if (!layout.isSystem) return undefined
  const id = (of: string): number => {
    const { code, text } = run("id", of, "--", user)
    return code === 0 && /^\d+$/u.test(text) ? Number(text) : -1
  }
  if (id("-u") < 0) {
    say(`makes the user ${user}`)
    if (isDry) return undefined
    const made = run("useradd", "--system", "--home-dir", stateFolder(layout), "--shell", "/bin/sh", "--", user)
    if (made.code !== 0)
      throw new InstallRefused(
        `the user ${user} is not there and cannot be made (${made.text || "no useradd"}): name one by --user`
      )
  }
  return { uid: id("-u"), gid: id("-g") }
}

const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const writeProgram = (files: Files, { layout, program, node, digest }: Installation): void => {
  const release = joined("releases", digest)
  files.write(joined(layout.prefix, release, programFile), readFileSync(program), 0o755)
  files.link(layout.current, release)
  files.write(layout.launcher, launcherText, 0o755)
  const words = `exec ${shellWord(node)} ${shellWord(joined(layout.current, programFile))} "$@"`
  files.write(layout.command, `#!/bin/sh\n${words}\n`, 0o755)
  if (!existsSync(layout.environmentFile)) files.write(layout.environmentFile, environmentText, 0o600)
}

/** Whether a key is needed, before anything is written. */
const checkKey = ({ layout, url, joinKey, isCopy }: Installation): void => {
  const known = readState(layout.stateFile, url)
  if (joinKey !== undefined || (known.token !== undefined && !isCopy)) return
  if (isCopy) throw new InstallRefused("--fresh-identity needs a join key: --join, or HUB_JOIN_KEY")
  throw new InstallRefused("this machine has no token of the hub yet: give a join key by --join, or HUB_JOIN_KEY")
}

/** The machine's id at its hub: the one that it has, or that of a new one. */
const enrol = async ({
  layout,
  url,
  joinKey,
  isCopy,
  name,
  isDry,
  say,
  log,
  interrupted
}: Installation): Promise<string | undefined> => {
  const { stateFile } = layout
  const known = readState(stateFile, url)
  if (known.token === undefined || isCopy) say(`joins ${hubUrl(url)}${isCopy ? " as a machine of its own" : ""}`)
  if (isDry) return known.daemonId
  if (isCopy) forgetMachine(stateFile, url)
  const late = AbortSignal.timeout(installJoinMillisMax)
  const signal = AbortSignal.any([late, interrupted])
  let state: MachineState | undefined
  try {
    state = await join({ url, key: joinKey ?? "", stateFile, name, clock: realClock, log, signal })
  } finally {
    // what it was is better than nothing
    if (state === undefined && known.token !== undefined) writeState(stateFile, known)
  }
  if (state !== undefined) return state.daemonId
  if (interrupted.aborted) throw new InstallRefused("it was interrupted")
  throw new InstallRefused(`${hubUrl(url)} did not let this machine join within ${installJoinMillisMax / 1_000} s`)
}

const optionsBefore = (file: string): Readonly<Record<string, string>> => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>
  } catch {
    return {}
  }
}

const startService = (files: Files, installation: Settled): void => {
  const { layout, manager, node, user, url, restartSeconds, isDry, say } = installation
  const file = joined(layout.prefix, "options.json")
  const options = { ...optionsBefore(file), ...installation.options }
  files.write(file, JSON.stringify(options), 0o644)
  const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const all = ["--url", hubUrl(url), "--state", layout.stateFile, ...given]
  if (manager === undefined) {
    say(`no service manager runs here; start it by: ${[layout.command, "run", ...all].map(shellWord).join(" ")}`)
    return
  }
  const service = { layout, node, user: layout.isSystem ? user : undefined, words: all, restartSeconds }
  files.write(manager.file, manager.text(service), 0o644)
  say(`starts the service by ${manager.name}`)
  if (isDry) return
  const started = manager.start()
  if (started.code !== 0) throw new InstallRefused(`${manager.name} did not start the service: ${started.text}`)
}

const steps = async (installation: Settled): Promise<string | undefined> => {
  const { layout, manager, isDry, say } = installation
  const files = makeFiles(say, isDry)
  const state = stateFolder(layout)
  await asOwnerOf(state, () => checkKey(installation))
  writeProgram(files, installation)
  const daemonId = await asOwnerOf(state, () => {
    // what the hub has sent since counts no more
    if (existsSync(layout.updates)) files.remove(layout.updates)
    return enrol(installation)
  })
  const owner = ownerOf(installation)
  if (owner !== undefined) {
    // systemd reads the environment as root, launchd has the service's user read it
    const its = [layout.stateFile, state, ...(manager?.name === "launchd" ? [layout.environmentFile] : [])]
    for (const path of its) files.give(path, owner.uid, owner.gid)
  }
  startService(files, installation)
  return daemonId
}

/** Installs it, or a newer one over it; the sentence to end with. */
export const install = async (installation: Installation): Promise<string> => {
  const { layout, isDry, url } = installation
  const isFirst = !existsSync(layout.current)
  try {
    const user = installation.user ?? userBefore(installation) ?? installation.usualUser
    const daemonId = await steps({ ...installation, user })
    if (isDry) return "nothing was written: --dry-run"
    return `version ${version} is installed; this machine is ${daemonId} at ${hubUrl(url)}`
  } catch (error) {
    if (isFirst && !isDry) await undo(installation)
    throw explained(error)
  }
}

/** What a person can do something about is said in a sentence. */
const explained = (error: unknown): unknown => {
  const { code = "", message } = error as NodeJS.ErrnoException
  if (code === "ENOSPC") return new InstallRefused("the disk is full")
  if (["EACCES", "EPERM", "EROFS"].includes(code)) return new InstallRefused(`it may not write here: ${message}`)
  return error instanceof JoinRefused ? new InstallRefused(message) : error
}

/** A machine that has its token keeps it: what failed may be tried again without another key. */
const undo = async (installation: Installation): Promise<void> => {
  const { layout, url } = installation
  const { stateFile } = layout
  const hasToken = await asOwnerOf(
    stateFolder(layout),
    () => existsSync(stateFile) && readState(stateFile, url).token !== undefined
  )
  await uninstall({ ...installation, say: () => undefined }, !hasToken)
}

type Installed = Pick<Installation, "layout" | "manager" | "isDry" | "say">

/** Takes everything away. `isWhole`: also the machine's token and the service's environment. */
export const uninstall = (installed: Installed, isWhole: boolean): Promise<void> =>
  takeAway(installed, isWhole).catch((error: unknown) => {
    throw explained(error)
  })

const takeAway = async ({ layout, manager, isDry, say }: Installed, isWhole: boolean): Promise<void> => {
  if (!isDry) manager?.stop()
  if (manager === undefined && existsSync(layout.unitFile))
    say("systemd is not reached from here: the service runs on until this user's session, or the machine, ends")
  const files = makeFiles(say, isDry)
  const kept = layout.isSystem
    ? [layout.prefix]
    : [joined(layout.prefix, "releases"), joined(layout.prefix, "options.json"), layout.launcher, layout.current]
  const state = stateFolder(layout)
  await asOwnerOf(state, () => {
    const all = existsSync(state) ? readdirSync(state).map((name) => joined(state, name)) : []
    for (const path of all) if (isWhole || path === layout.updates) files.remove(path)
  })
  if (isWhole && existsSync(state)) files.removeFolder(state)
  const whole = isWhole ? [layout.environmentFile, ...(layout.isSystem ? [] : [layout.prefix])] : []
  for (const path of [layout.unitFile, layout.plistFile, layout.command, ...kept, ...whole]) {
    if (existsSync(path) || path === layout.current) files.remove(path)
  }
  if (!isDry) manager?.forget()
}
