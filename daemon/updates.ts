/**
 * Updates of this daemon by its hub: has the new program loaded, puts it in place and ends, so that the launcher of the
 * installation starts it. Owns the files of the folder that the launcher names, as install/launcher.ts describes them.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { backoffMillis } from "./backoff.ts"
import type { Clock } from "./clock.ts"
import { DownloadRefused, download } from "./download.ts"
import { AnswerTooLarge } from "./hub-call.ts"
import { programFile } from "./install/layout.ts"
import { busyLookMillis, downloadsMax, failedUpdateMillis, updateProvenMillis } from "./limits.ts"
import type { Log } from "./log.ts"
import { words } from "./refusal.ts"
import { frameText } from "./wire.ts"

/** What a daemon names in its `auth` that takes updates. */
export const selfUpdate = "self_update"

/** Where updates go, and what follows from them. */
export interface UpdateMeans {
  /** The folder that the launcher names. */
  readonly folder: string
  /** The hub, as its address begins. */
  readonly hub: string
  /** The new program is in place: the daemon is to end with the code that has it started. */
  readonly restart: () => void
}

interface Surroundings extends UpdateMeans {
  readonly clock: Clock
  readonly log: Log
  /** False while there is no connection. */
  readonly send: (text: string) => boolean
  /** Whether work is under way that an end would break off. */
  readonly busy: () => boolean
}

interface Order {
  /** For the log alone. */
  readonly version: string
  readonly url: string
  readonly sha256: string
  readonly deadlineMs: number
}

const orderOf = ({ version, url, sha256, deadlineMs }: Readonly<Record<string, unknown>>): Order | undefined =>
  typeof url === "string" && typeof sha256 === "string" && /^[0-9a-f]{64}$/u.test(sha256)
    ? {
        version: typeof version === "string" ? version : "",
        url,
        sha256,
        deadlineMs: typeof deadlineMs === "number" && deadlineMs > 0 ? deadlineMs : 600_000
      }
    : undefined

const resultOf = ({ sha256, error }: { readonly sha256: string; readonly error: string }): string =>
  frameText("update_result", { sha256, success: false, error })

/** The updates of one daemon. */
export class Updates {
  readonly #around: Surroundings
  #working: string | undefined
  readonly #stopping = new AbortController()
  #cancelWait: (() => void) | undefined
  #cancelProof: (() => void) | undefined
  #failure: { readonly sha256: string; readonly error: string; readonly until: number } | undefined

  constructor(around: Surroundings) {
    this.#around = around
  }

  #path(name: string): string {
    return join(this.#around.folder, name)
  }

  #read(name: string): string | undefined {
    try {
      return readFileSync(this.#path(name), "utf8")
    } catch {
      return undefined
    }
  }

  #write(name: string, content: string | Uint8Array): void {
    writeFileSync(this.#path(`${name}.new`), content, { mode: 0o600 })
    renameSync(this.#path(`${name}.new`), this.#path(name))
  }

  /** One that cannot be removed ends no daemon. */
  #remove(name: string): void {
    try {
      rmSync(this.#path(name), { force: true })
    } catch (error) {
      this.#around.log("a file of the updates cannot be removed", { reason: words(error) })
    }
  }

  #failed(sha256: string, error: string): void {
    const { clock, log, send } = this.#around
    log("the update failed", { sha256, reason: error })
    this.#failure = { sha256, error, until: clock.steady() + failedUpdateMillis }
    send(resultOf({ sha256, error }))
  }

  /** The hub let this program in: one on trial is good once it has run on for a while. */
  admitted(): void {
    this.#tellPutBack()
    if (this.#read("trial") !== undefined && this.#cancelProof === undefined) this.#noteAdmitted()
  }

  /** Tried until it is noted. The launcher bounds it: a program that is not let in has no longer than its trial. */
  #noteAdmitted(isFirst = true): void {
    const { clock, log } = this.#around
    try {
      this.#write("admitted", "")
      this.#cancelProof = clock.after(updateProvenMillis, () => {
        this.#remove("trial")
        log("the updated program is good")
      })
    } catch (error) {
      if (isFirst) log("the launcher cannot be told that the hub let this program in", { reason: words(error) })
      this.#cancelProof = clock.after(busyLookMillis, () => this.#noteAdmitted(false))
    }
  }

  /** The daemon ends: one on trial stays on trial. */
  stop(): void {
    this.#cancelProof?.()
    this.#cancelWait?.()
    this.#stopping.abort()
  }

  #wait(millis: number): Promise<void> {
    return new Promise((resolve) => {
      this.#cancelWait = this.#around.clock.after(millis, resolve)
    })
  }

  #tellPutBack(): void {
    const [release, reason = ""] = this.#read("failed")?.split("\n") ?? []
    // told once, also where the file stays
    if (release === undefined || this.#failure !== undefined) return
    this.#failed(release.replace(/^releases\//u, ""), `the new program ${reason}`)
    this.#remove("failed")
  }

  /** The hub wants this one to run. */
  async told(data: Readonly<Record<string, unknown>>): Promise<void> {
    const { clock, log } = this.#around
    const order = orderOf(data)
    if (order === undefined) return log("an update that is none was ignored")
    // it comes again until this daemon is back with it; and what is not good yet is not replaced
    if (this.#working !== undefined || this.#read("trial") !== undefined) return
    const failure = this.#failure
    // sent before the hub heard of the failure
    if (failure?.sha256 === order.sha256 && clock.steady() < failure.until)
      return void this.#around.send(resultOf(failure))
    this.#working = order.sha256
    log("updating", { version: order.version, sha256: order.sha256 })
    const until = clock.steady() + order.deadlineMs / 2
    try {
      await this.#load(order)
      await this.#idle(until)
      this.#write("trial", this.#read("current") ?? "")
      this.#write("current", `releases/${order.sha256}`)
      this.#around.restart()
    } catch (error) {
      this.#working = undefined
      // this program is on no trial
      this.#remove("trial")
      // that this daemon ends says nothing of the update, which comes again
      if (!this.#stopping.signal.aborted) this.#failed(order.sha256, words(error))
    }
  }

  async #load({ url, sha256, deadlineMs }: Order): Promise<void> {
    const { hub, clock, folder } = this.#around
    const timeout = AbortSignal.timeout(Math.min(deadlineMs, 2 ** 31 - 1))
    const signal = AbortSignal.any([this.#stopping.signal, timeout])
    let program: Buffer | undefined
    for (let attempt = 0; program === undefined; attempt++) {
      try {
        program = await download({ hub, url, sha256, signal })
      } catch (error) {
        // a hub of several nodes that is being upgraded: the next call may meet one that has it
        const isFinal = error instanceof DownloadRefused || error instanceof AnswerTooLarge
        if (isFinal || signal.aborted || attempt + 1 >= downloadsMax) throw error
        await this.#wait(backoffMillis(attempt, clock.random))
      }
    }
    const release = join(folder, "releases", sha256)
    mkdirSync(release, { recursive: true, mode: 0o700 })
    // beside it only what runs now is needed, which may have to be put back
    const kept = new Set([`releases/${sha256}`, this.#read("current")])
    for (const old of readdirSync(join(folder, "releases")))
      if (!kept.has(`releases/${old}`)) rmSync(join(folder, "releases", old), { recursive: true, force: true })
    this.#write(join("releases", sha256, programFile), program)
  }

  /** Until no work would be broken off, or that takes too long. */
  async #idle(until: number): Promise<void> {
    const { clock, busy } = this.#around
    while (busy() && clock.steady() < until) await this.#wait(busyLookMillis)
  }
}
