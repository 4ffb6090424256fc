/**
 * What a row of the settings has, and the kinds of value that one may have: how each is read from text and what to say
 * when it does not fit. Owns the parsing; knows no setting by name and reads no environment.
 */

import { Result } from "effect"
import ipaddr from "ipaddr.js"
import { type GroupRole, readGroupRole } from "../domain/account/group-roles.ts"
import { type CommandsShownOf, readCommandsShown } from "../domain/command/shown-command.ts"
import { secretKeysMax } from "../limits/secrets.ts"
import { readSecretKeys } from "./secret-keys.ts"

/** How one kind of value is read. The failure is the rest of a sentence that begins with the name and the text. */
export interface Kind<A> {
  readonly name: string
  readonly read: (text: string) => Result.Result<A, string>
}

/** One row. `standard` is the default as one would write it in the environment; absent: the setting is absent. */
export interface Setting {
  readonly env: string
  readonly kind: Kind<unknown>
  readonly standard?: string
  readonly reason: string
  /** Never shown in a log or an error. */
  readonly secret?: true
}

/** Rows, by the names of the settings in code. */
export type Rows = Readonly<Record<string, Setting>>

/** What a row's setting is in code: without a default it may be absent. */
export type ValueOf<R extends Setting> = R extends { readonly kind: Kind<infer A> }
  ? A | (R extends { readonly standard: string } ? never : undefined)
  : never

const kind = <A>(name: string, read: (text: string) => A | undefined, wants: string): Kind<A> => ({
  name,
  read: (text) => {
    const value = read(text)
    return value === undefined ? Result.fail(wants) : Result.succeed(value)
  }
})

export const text: Kind<string> = kind("text", (given) => given, "must be text")

/** A name or address to listen on; of IPv6 also in brackets, as URLs have it. */
export const host: Kind<string> = kind(
  "text",
  (given) => given.trim().replace(/^\[(.*)\]$/u, "$1") || undefined,
  "must be a name or an address"
)

/** A bearer token that an operator chooses: long enough not to be guessed. */
export const token: Kind<string> = kind(
  "token",
  (given) => (/^[\x21-\x7e]{16,512}$/u.test(given) ? given : undefined),
  "must be 16 to 512 printable ASCII characters without a space; make one with: openssl rand -hex 32"
)

const whole = (given: string): number | undefined => {
  const value = /^\d{1,12}$/u.test(given) ? Number(given) : undefined
  return value
}

/** A whole number from `least` to `most`. */
export const count = (least: number, most: number): Kind<number> =>
  kind(
    "number",
    (given) => {
      const value = whole(given)
      return value !== undefined && value >= least && value <= most ? value : undefined
    },
    `must be a whole number from ${least} to ${most}`
  )

/** One of a few words. */
export const choice = <const W extends string>(...words: ReadonlyArray<W>): Kind<W> =>
  kind(
    words.map((word) => `\`${word}\``).join(", "),
    (given) => words.find((word) => word === given),
    `must be one of ${words.join(", ")}`
  )

/** How much of commands is shown: a word, and other words for single accounts. */
export const commandsShown: Kind<CommandsShownOf> = kind(
  "`off`, `names`, `full`",
  readCommandsShown,
  "must be one of off, names, full, and may name others for accounts: off,acc_…=full"
)

const unitMillis: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const spanMillis = (given: string): number | undefined => {
  const parts = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/u.exec(given)
  if (parts === null) return undefined
  const millis = Number(parts[1]) * unitMillis[parts[2] ?? "s"]!
  return Number.isInteger(millis) ? millis : undefined
}

/** A length of time as milliseconds: `15`, `15s`, `250ms`, `5m`, `2h`, `1d`; a bare number is seconds. */
export const millis = (most: number): Kind<number> =>
  kind(
    "duration",
    (given) => {
      const value = spanMillis(given)
      return value !== undefined && value <= most ? value : undefined
    },
    `must be a duration such as 15, 15s, 250ms or 5m (a bare number is seconds), at most ${most / 1_000}s`
  )

/** A length of time as seconds, written as for `millis`. */
export const seconds = (most: number): Kind<number> => {
  const inner = millis(most * 1_000)
  return { name: inner.name, read: (given) => Result.map(inner.read(given), (value) => value / 1_000) }
}

/** Zero to `most` values of one kind, separated by commas. */
export const list = <A>(inner: Kind<A>, most: number): Kind<ReadonlyArray<A>> => ({
  name: `list of ${inner.name}`,
  read: (given) => {
    const words = given.split(",").map((word) => word.trim())
    const texts = words.filter((word) => word !== "")
    if (texts.length > most) return Result.fail(`must hold at most ${most} values, separated by commas`)
    const values: Array<A> = []
    for (const one of texts) {
      const value = inner.read(one)
      if (Result.isFailure(value)) return Result.fail(`${value.failure} (each, separated by commas)`)
      values.push(value.success)
    }
    return Result.succeed(values)
  }
})

/** An address with one of these schemes, kept as written but for a trailing slash. */
export const url = (...schemes: ReadonlyArray<string>): Kind<string> =>
  kind(
    "URL",
    (given) => {
      if (!URL.canParse(given)) return undefined
      return schemes.includes(new URL(given).protocol.slice(0, -1)) ? given.replace(/\/+$/u, "") : undefined
    },
    `must be a URL (${schemes.join(", ")})`
  )

const isHost = (given: string): boolean => /^[^\s/@?#]+$/u.test(given) && URL.canParse(`redis://${given}`)

const redisForms = /^\/?(?:0|[1-9]\d{0,5})?$/u
const redisWords = ["sentinel", "cluster", "hosts"]

/**
 * An address of a Redis in one of the forms of docs/operating.md: what is misspelt there would reach another server or
 * database.
 */
export const redisUrl: Kind<string> = kind(
  "URL",
  (given) => {
    const plain = url("redis", "rediss").read(given)
    if (Result.isFailure(plain)) return undefined
    const { host, pathname, searchParams } = new URL(plain.success)
    const [words, hosts] = [[...searchParams.keys()], (searchParams.get("hosts") ?? "").split(",")]
    const form =
      redisForms.test(pathname) &&
      words.every((word) => redisWords.includes(word)) &&
      !(searchParams.has("sentinel") && searchParams.has("cluster")) &&
      searchParams.get("sentinel") !== "" &&
      !(searchParams.has("cluster") && Number(pathname.slice(1)) > 0)
    return host !== "" && form && hosts.every((one) => one === "" || isHost(one)) ? plain.success : undefined
  },
  "must be redis://host:port/number or rediss://…, with ?sentinel=name or ?cluster (without a number), and &hosts=host:port,…, where they apply"
)

/** What a browser sends as `Origin`: scheme, host and port, no path; or `*`. */
export const origin: Kind<string> = kind(
  "origin",
  (given) => {
    if (given === "*") return given
    return URL.canParse(given) && new URL(given).origin === given.replace(/\/$/u, "")
      ? new URL(given).origin
      : undefined
  },
  "must be an origin such as https://dashboard.example.com"
)

/** A range of addresses as `address/bits`; a bare address is a range of one. */
export const cidr: Kind<string> = kind(
  "CIDR",
  (given) => {
    if (ipaddr.isValidCIDR(given)) return given
    if (!ipaddr.isValid(given)) return undefined
    return `${given}/${ipaddr.parse(given).kind() === "ipv4" ? 32 : 128}`
  },
  "must be an address range such as 10.0.0.0/8"
)

/** An address of a STUN or TURN server (RFC 7064, RFC 7065). */
export const iceUrl = (...schemes: ReadonlyArray<string>): Kind<string> =>
  kind(
    "ICE URL",
    (given) => {
      const parts = /^([a-z]+):[^\s/?#]+(\?transport=(udp|tcp))?$/u.exec(given)
      return parts !== null && schemes.includes(parts[1]!) ? given : undefined
    },
    `must be an address such as ${schemes[0]}:turn.example.com:3478`
  )

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"]

/** A file, or an address that is sent what must stay a secret on its way. */
export const sink: Kind<string> = kind(
  "file or URL",
  (given) => {
    if (!/^[a-z]+:\/\//iu.test(given)) return given
    if (!URL.canParse(given)) return undefined
    const { protocol, hostname, username } = new URL(given)
    const isSafe = protocol === "https:" || (protocol === "http:" && loopbackNames.includes(hostname))
    return isSafe && username === "" ? given : undefined
  },
  "must be the path of a file, or an https:// address without a user (http:// on this machine only)"
)

/** A group of a sign-in provider, with the role of its members. */
export const groupRole: Kind<GroupRole> = kind(
  "group=role",
  readGroupRole,
  "must be a group and its role: hub-admins=admin (viewer, operator, admin, owner)"
)

/** The secret of a signature. */
export const signingSecret: Kind<string> = kind(
  "secret",
  (given) => (/^whsec_[A-Za-z0-9+/]{32,128}={0,2}$/u.test(given) ? given : undefined),
  "must be whsec_ and at least 24 bytes in base64; make one with: echo whsec_$(openssl rand -base64 32)"
)

/** 32 bytes in base64. */
export const secretKeys: Kind<Uint8Array> = kind(
  "base64 of 32 bytes, several with commas",
  readSecretKeys,
  `must be 32 bytes in base64, or ${secretKeysMax} such at most with commas between; make one with: openssl rand -base64 32`
)
