/**
 * Enrols this machine by a join key. Owns the call, and when it is made again: until the hub gives a token or refuses
 * for good. machine-state.ts keeps what came of it; knows no socket.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { foreignAnswer } from "../client/src/foreign-answer.ts"
import { whyLost } from "../client/src/lost-connection.ts"
import { backoffMillis } from "./backoff.ts"
import type { Clock } from "./clock.ts"
import { hubUrl, joinPath } from "./hub-address.ts"
import { callHub } from "./hub-call.ts"
import { admissionMillisMax, problemBytesMax } from "./limits.ts"
import type { Log } from "./log.ts"
import { type MachineState, readState, writeState } from "./machine-state.ts"
import { untilRetry } from "./problem.ts"

/** How a machine joins. */
export interface Joining {
  /** The hub's socket. */
  readonly url: string
  readonly key: string
  readonly stateFile: string
  readonly name: string | undefined
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** The hub takes this machine not; why, in words. */
export class JoinRefused extends Error {
  override readonly name = "JoinRefused"
}

const unknownKey = "the hub does not know this join key, or it has ended; ask the hub's owner for another"
const tooOld = "the hub is of a version without join keys"
/** The hub's own reasons that another try does not change. By the reason alone: a proxy has every status too. */
const final: Readonly<Record<string, string>> = {
  VALIDATION_FAILED: "the hub does not understand this daemon's request to join",
  AUTH_REQUIRED: unknownKey,
  AUTH_INVALID: unknownKey,
  DAEMON_LIMIT_REACHED: "the account has as many daemons as its plan allows; remove one that is not needed",
  NOT_FOUND: tooOld,
  METHOD_NOT_ALLOWED: tooOld
}

/** The members of its JSON; none where it is another. */
const membersOf = (body: Buffer): Record<string, unknown> => {
  try {
    return { ...(JSON.parse(body.toString()) as object) }
  } catch {
    return {}
  }
}

/** One call: the state with a token, or after how long another try is worth it. */
const ask = async (joining: Joining, state: MachineState): Promise<MachineState | number> => {
  const { url, key, name, log, signal } = joining
  const hub = hubUrl(url)
  const { status, headers, body } = await callHub(new URL(`${hub}${joinPath}`), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ machineId: state.machineId, hostname: hostname(), ...(name !== undefined && { name }) }),
    bytesMax: problemBytesMax,
    signal: AbortSignal.any([signal, AbortSignal.timeout(admissionMillisMax)])
  })
  const { daemonId, token, reason } = membersOf(body)
  if (status === 201 && typeof daemonId === "string" && typeof token === "string") return { ...state, daemonId, token }
  if (typeof reason === "string" && Object.hasOwn(final, reason)) throw new JoinRefused(final[reason]!)
  const header = (name: string) => headers[name]?.toString()
  if (typeof reason === "string") log("the hub takes no machine now", { status, reason })
  else log(foreignAnswer(hub, joinPath, { status, header }))
  return untilRetry(headers)
}

const pause = ({ clock, signal }: Joining, millis: number): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener("abort", done)
      cancel()
      resolve()
    }
    const cancel = clock.after(millis, done)
    signal.addEventListener("abort", done)
  })

/** The machine's state with a token: the one that it has, or a new one. Undefined: told to stop before. */
export const join = async (joining: Joining): Promise<MachineState | undefined> => {
  const { url, stateFile, clock, log, signal } = joining
  const state = readState(stateFile, url)
  if (state.token !== undefined) return state
  // before the call: when its answer is lost the next one names the same machine
  writeState(stateFile, state)
  for (let attempt = 0; !signal.aborted; attempt++) {
    let atLeast = 0
    try {
      const joined = await ask(joining, state)
      if (typeof joined === "object") {
        writeState(stateFile, joined)
        log("joined", { daemonId: joined.daemonId, state: stateFile })
        return joined
      }
      atLeast = joined
    } catch (error) {
      if (error instanceof JoinRefused || (error as Error).name === "FileUnusable") throw error
      if (!signal.aborted) log("joining failed", { reason: whyLost(hubUrl(url), error) })
    }
    if (!signal.aborted) await pause(joining, Math.max(atLeast, backoffMillis(attempt, clock.random)))
  }
  return undefined
}

/** Forgets which machine this is: the state is that of another, of which this one is a copy. */
export const forgetMachine = (stateFile: string, url: string): void =>
  writeState(stateFile, { url, machineId: randomUUID() })

/** Forgets the token of a machine that the hub does not know any more; it is the same machine. */
export const forgetToken = (stateFile: string, url: string): void => {
  const { machineId } = readState(stateFile, url)
  writeState(stateFile, { url, machineId })
}
