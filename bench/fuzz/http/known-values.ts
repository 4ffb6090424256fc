/**
 * Values that mean something to the hub under test: its ids, credentials, cursors, names of packages. Owns them, and
 * which of them fits a name; some are learned from answers.
 */
import type { Random } from "../random.ts"

const keptOfName = 16
const packageTypes = 24
const packageVersions = 24
const idempotencyKeys = 32

/** Names that stand for another one in an operation that would take away what the run needs. */
const expendable: Readonly<Record<string, string>> = {
  "daemons.revoke": "spareDaemonId",
  "daemons.remove": "spareDaemonId",
  "daemons.disconnect": "restlessDaemonId",
  "adminDaemons.disconnect": "restlessDaemonId"
}

/** Members of an answer that are used again, by the operation that answers. */
const learned: Readonly<Record<string, ReadonlyArray<readonly [member: string, name: string]>>> = {
  "keys.create": [["id", "keyId"]],
  "webhooks.create": [["id", "webhookId"]],
  "joinKeys.create": [
    ["id", "joinKeyId"],
    ["key", "joinKey"]
  ],
  "daemons.enroll": [["daemonId", "spareDaemonId"]],
  "daemons.command": [["commandId", "commandId"]],
  "daemons.terminal": [["commandId", "commandId"]],
  "jobs.start": [["jobId", "jobId"]],
  "webhooks.retry": [["deliveryId", "deliveryId"]],
  "deviceCodes.begin": [
    ["deviceCode", "deviceCode"],
    ["userCode", "userCode"]
  ]
}

const unknownIds: Readonly<Record<string, string>> = {
  daemonId: "dmn_00000000000000000000",
  keyId: "key_00000000000000000000",
  webhookId: "whk_00000000000000000000",
  deliveryId: "dlv_00000000000000000000",
  commandId: "cmd_00000000000000000000",
  jobId: "job_00000000000000000000",
  joinKeyId: "jky_00000000000000000000"
}

const versionOf = (random: Random): string => `1.${random.below(packageVersions)}.0`

/** Values by the names of members and parameters. */
const made: Readonly<Record<string, (random: Random) => unknown>> = {
  type: (random) => `fuzz-${random.below(packageTypes)}`,
  version: versionOf,
  artifact: (random) => random.bytes(random.below(48)).toString("base64"),
  url: (random) => random.of(["http://127.0.0.1:9/hook", "https://127.0.0.1:9/", "http://[::1]:9/"]),
  email: () => "fuzz@bench.local",
  timeoutSeconds: () => 1,
  sessionId: (random) => random.of(["s1", "s2", "w1"]),
  targetSessionId: (random) => random.of(["s1", "s2", ""]),
  channel: (random) => random.of(["preview", "stable"]),
  selector: (random) => random.of(["env=prod", "env!=prod", "!gpu", "env in (prod,dev)"]),
  machineId: (random) => `fuzz-machine-${random.below(keptOfName)}`,
  limit: (random) => random.between(1, 100),
  since: (random) => 1_790_000_000_000 - random.below(1_000_000_000),
  range: (random) => `bytes=${random.below(9)}-${random.below(40)}`,
  "idempotency-key": (random) => `fuzz-${random.below(idempotencyKeys)}`,
  prefer: (random) => random.of(["respond-async", "respond-async, wait=1", "wait=1"]),
  "last-event-id": (random) => `evt_${random.word(20)}`
}

/** Those of one run. */
export class KnownValues {
  readonly #values = new Map<string, Array<string>>()

  /** Keeps one more of a name; the oldest leaves. */
  add(name: string, value: string): void {
    const kept = this.#values.get(name) ?? []
    kept.push(value)
    if (kept.length > keptOfName) kept.shift()
    this.#values.set(name, kept)
  }

  /** One of a name; undefined where none is known. */
  get(name: string, random: Random): string | undefined {
    const kept = this.#values.get(name)
    return kept === undefined ? undefined : random.of(kept)
  }

  /** A value that fits a member or a parameter of this name; undefined where the name says nothing. */
  fitting(operation: string, name: string, random: Random): unknown {
    if (name === "ideId") return this.#target(random)
    // what a registry calls a type is another thing elsewhere
    if (name === "type" && !operation.startsWith("registry.")) return undefined
    if (name === "daemonId" && operation in expendable) return this.get(expendable[operation]!, random)
    const known = random.percent(90) ? this.get(name, random) : undefined
    if (known !== undefined) return known
    if (Object.hasOwn(unknownIds, name)) return unknownIds[name]
    return Object.hasOwn(made, name) ? made[name]!(random) : undefined
  }

  /** Takes from an answer what later inputs can use. */
  learn(operation: string, headers: ReadonlyMap<string, string>, body: string): void {
    const etag = headers.get("etag")
    if (etag !== undefined) this.add("if-none-match", etag)
    const members = learned[operation]
    if (members === undefined && !body.includes('"nextCursor"')) return
    const answer = JSON.parse(body) as Readonly<Record<string, unknown>>
    for (const [member, name] of [...(members ?? []), ["nextCursor", "cursor"] as const]) {
      const value = answer[member]
      if (typeof value === "string") this.add(name, value)
    }
  }

  #target(random: Random): string {
    const daemon = this.get("daemonId", random) ?? unknownIds["daemonId"]
    return `${daemon}${random.of([":session:s1", ":session:s2", ":acp:fuzz-agent", ":ide:cursor", ":cli:x", ""])}`
  }
}
