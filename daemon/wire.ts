/** The frames as this daemon reads and writes them (docs/daemon-protocol.md). Owns shapes; sends nothing. */

/** A question that waits for its answer. */
export interface Modal {
  /** New for each question. */
  readonly promptId: string
  readonly message: string
  readonly buttons: ReadonlyArray<string>
  /** When it was asked, epoch milliseconds. */
  readonly askedAt?: number
  /** When it is rejected, where no answer comes. */
  readonly expiresAt?: number
  /** What it asks for, as rules name it. */
  readonly subject?: { readonly action: string; readonly resource: string }
  /** The answers that the agent offers. */
  readonly options?: ReadonlyArray<{ readonly optionId: string; readonly name: string; readonly kind: string }>
}

/** One session of a report. */
export interface SessionReport {
  readonly id: string
  readonly providerType: string
  readonly providerName: string
  readonly providerSessionId?: string
  readonly kind: "workspace" | "agent"
  readonly transport: "pty" | "acp"
  readonly status: string
  readonly title: string
  readonly workspace: { readonly name: string; readonly path: string }
  readonly activeModal?: Modal
  /** Hidden, or muted, on a dashboard of the machine's own. */
  readonly surfaceHidden: boolean
  readonly muted: boolean
}

/** What happened to an agent, before it has an id. */
export interface EventBody {
  readonly event: string
  readonly timestamp: number
  readonly targetSessionId?: string
  readonly providerType?: string
  readonly providerSessionId?: string
  readonly workspaceName?: string
  readonly duration?: number
  readonly elapsedSec?: number
  readonly modalMessage?: string
  readonly modalButtons?: ReadonlyArray<string>
  readonly promptId?: string
  /** Of a decision by a policy: by what, what it was, and how many like it. */
  readonly by?: "policy"
  readonly rule?: string
  readonly decision?: string
  readonly count?: number
}

/** A command from the hub. */
export interface Command {
  readonly id: string
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly targetSessionId?: string
  /** How long it may take. */
  readonly deadlineMs: number
  /** How long the hub waits for its answer, where that is longer. */
  readonly waitMs?: number
  /** It goes on when the connection is lost, and its result is kept until the hub has it. */
  readonly durable: boolean
}

/** Which log is meant: of a session, or of a terminal command. */
export interface LogName {
  readonly kind: "session" | "command"
  readonly id: string
}

/** The answer to one. */
export interface CommandResult {
  readonly id: string
  readonly success: boolean
  readonly result?: unknown
  readonly error?: string
  readonly code?: string
}

/** What this daemon uses of `auth_ok`. */
export interface Admission {
  readonly daemonId: string
  readonly heartbeatMs: number
  readonly reportMs: number
  readonly resultBytes: number
  readonly framesPer10s: number
}

type Members = Readonly<Record<string, unknown>>

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {}

const positive = (value: unknown, standard: number): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : standard

/** A frame's type and data; undefined when the text is no frame. */
export const readFrame = (text: string): { readonly type: string; readonly data: Members } | undefined => {
  try {
    const frame = members(JSON.parse(text))
    const type = frame["type"]
    return typeof type === "string" ? { type, data: members(frame["data"]) } : undefined
  } catch {
    return undefined
  }
}

/** A frame as text. */
export const frameText = (type: string, data: unknown): string => JSON.stringify({ type, data })

/** `auth_ok`, with the published figures where the hub left one out. */
export const readAdmission = (data: Members): Admission => {
  const limits = members(data["limits"])
  return {
    daemonId: String(data["daemonId"] ?? ""),
    heartbeatMs: positive(data["heartbeatMs"], 25_000),
    reportMs: positive(data["reportMs"], 30_000),
    resultBytes: positive(limits["resultBytes"], 8_388_608),
    framesPer10s: positive(limits["framesPer10s"], 100)
  }
}

/** A command; undefined when it has no id to answer to. */
export const readCommand = (data: Members): Command | undefined => {
  const { id, type, targetSessionId } = data
  if (typeof id !== "string" || typeof type !== "string") return undefined
  return {
    id,
    type,
    payload: members(data["payload"]),
    ...(typeof targetSessionId === "string" ? { targetSessionId } : {}),
    deadlineMs: positive(data["deadlineMs"], 60_000),
    ...(data["waitMs"] === undefined ? {} : { waitMs: positive(data["waitMs"], 60_000) }),
    durable: data["durable"] === true
  }
}

/** The ids of an acknowledgement; what is no text is left out. */
export const readIds = (data: Members): ReadonlyArray<string> =>
  Array.isArray(data["ids"]) ? data["ids"].filter((id): id is string => typeof id === "string") : []

/** The name of a log; undefined when it is none. */
export const readLogName = (value: unknown): LogName | undefined => {
  const { kind, id } = members(value)
  return (kind === "session" || kind === "command") && typeof id === "string" ? { kind, id } : undefined
}
