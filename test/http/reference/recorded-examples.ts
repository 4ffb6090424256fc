/**
 * Records answers of a hub as the examples of the OpenAPI document. What differs from run to run is replaced: ids,
 * secrets, times, ports. Owns these replacements.
 */
import type { HubAnswer, HubRequest, TestHub } from "../../support/hub.ts"

/** What examples.json holds. */
export interface Recorded {
  readonly operations: Record<string, { path?: string; request?: unknown; responses?: Record<string, unknown> }>
  readonly problems: Record<string, unknown>
  readonly events: Record<string, unknown>
}

const at = 1_790_000_000_000
/** Members whose values depend on how fast the computer is. */
const measured: Readonly<Record<string, unknown>> = {
  durationMs: 42,
  ageMs: 840,
  connectedMs: 3_600_000,
  ttl: 7_199,
  resetSeconds: 60,
  resetsAt: at,
  used: 3,
  remaining: 997,
  month: "2026-09",
  nextCursor: "MTc5MDAwMDAwMDAwMA",
  next: "YqPKqIaANR6J.YjRjMWUw.2",
  // the point of the example of RFC 8292
  publicKey: "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs",
  hostname: "laptop",
  node: "node_000000000000000001"
}
const secrets: ReadonlyArray<readonly [shape: RegExp, shown: string]> = [
  [/^hub_[A-Za-z0-9]{30,}$/u, `hub_${"x".repeat(36)}`],
  [/^hubp_\w+$/u, `hubp_${"x".repeat(36)}`],
  [/^hubdc_\w+$/u, `hubdc_${"x".repeat(36)}`],
  [/^[B-Z]{4}-[B-Z]{4}$/u, "WDJB-MJHT"],
  [/^https:\/\/hub\.example\.org\/console#\/device\/.+$/u, "https://hub.example.org/console#/device/WDJB-MJHT"],
  [/^whsec_.+$/u, `whsec_${"x".repeat(43)}=`],
  [/^hubj_\w{30,}$/u, `hubj_${"x".repeat(36)}`],
  [/^hubd_\w+$|^hub_daemon_\w+$/u, `hubd_${"x".repeat(36)}`],
  [/^[\w-]+\.[\w-]{20,}\.[\w-]+$/u, "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY2NfMSJ9.c2lnbmF0dXJl"]
]

/** Makes a recorder. Each id gets one replacement, whose number says in which order it came. */
export const makeRecorder = () => {
  const recorded: Recorded = { operations: {}, problems: {}, events: {} }
  const ids = new Map<string, string>()
  const counts = new Map<string, number>()

  const idOf = (found: string, prefix: string): string => {
    const known = ids.get(found)
    if (known !== undefined) return known
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    const shown = `${prefix}_${String(count).padStart(20, "0")}`
    ids.set(found, shown)
    return shown
  }

  const text = (given: string): string => {
    const secret = secrets.find(([shape]) => shape.test(given))
    if (secret !== undefined) return secret[1]
    if (/^hub_\w{4,10}$/u.test(given)) return "hub_xxxx"
    if (/^hubj_\w{4,10}$/u.test(given)) return "hubj_xxxx"
    return given
      .replace(/hubi_\w{36}/gu, `hubi_${"x".repeat(36)}`)
      .replace(
        /\b(acc|dmn|key|ses|whk|dlv|att|cmd|job|req|lrq|aud|evt|jky|per|sva|inv|grt|ocl|apr|psb)_[0-9a-z]{20}/gu,
        (found, prefix) => (prefix === "req" ? "req_00000000000000000001" : idOf(found, prefix))
      )
      .replace(/\bhubc_\w{36}/gu, `hubc_${"x".repeat(36)}`)
      .replace(/\bnode_[0-9a-f]{18}/gu, "node_000000000000000001")
      .replace(/[\w.+-]+@[\w.-]+/gu, "owner@example.org")
      .replace(/\bt=\d{13},v1=[0-9a-f]{64}/gu, `t=${at},v1=${"6a2d4c90".repeat(8)}`)
      .replace(/\bv1,[\w+/]{43}=/gu, `v1,${"UklG".repeat(10)}Rg8=`)
      .replace(/"(timestamp|connectedMs)":\d+/gu, (_, name) => `"${name}":${name === "timestamp" ? at : 412}`)
      .replace(/^\d{10}$/u, String(at / 1_000))
      .replace(/http:\/\/127\.0\.0\.1:\d+/gu, "https://receiver.example.org")
  }

  const shown = (value: unknown, name = ""): unknown => {
    // a volume's `used` is null until it was counted
    if (value === null) return name === "used" ? measured[name] : null
    if (Object.hasOwn(measured, name) && typeof value === typeof measured[name]) return measured[name]
    if (typeof value === "string") return text(value)
    if (typeof value === "number") return value > 1e12 ? at : value
    if (Array.isArray(value)) return value.map((one) => shown(one))
    if (typeof value !== "object") return value
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, shown(one, member)]))
  }

  const answer = (operation: string, status: number, body: unknown): void => {
    const one = recorded.operations[operation] ?? {}
    recorded.operations[operation] = { ...one, responses: { ...one.responses, [status]: shown(body) } }
  }

  const path = (operation: string, called: string): void => {
    recorded.operations[operation] = { path: text(called), ...recorded.operations[operation] }
  }

  return {
    recorded,
    answer,
    /** Records the path and query that an operation is called with. */
    path,
    /** Calls a hub, and records what was sent and what it answered. */
    call: async (
      hub: TestHub,
      operation: string,
      status: number,
      line: string,
      options: HubRequest = {}
    ): Promise<HubAnswer["body"]> => {
      const [method, called] = line.split(" ") as [string, string]
      const given = await hub.request(method, called, options)
      if (given.status !== status) throw new Error(`${operation} answers ${given.status}: ${given.text}`)
      path(operation, called)
      answer(operation, status, given.body)
      if (options.body !== undefined) recorded.operations[operation]!.request ??= shown(options.body)
      return given.body
    },
    problem: (tag: string, body: unknown): void => {
      recorded.problems[tag] = shown(body)
    },
    event: (event: string, body: unknown): void => {
      recorded.events[event] = shown(body)
    }
  }
}

/** A recorder. */
export type Recorder = ReturnType<typeof makeRecorder>
