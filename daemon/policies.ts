/**
 * The policies that the hub's owner has set for this machine: by them it is decided here what agents may do. Owns the
 * last ones that the hub sent, also in their file, so that they hold without a connection; decide.ts has the rules.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { decide, type Surroundings, type Verdict } from "../src/domain/policy/decide.ts"
import type { NamedRule, PolicySet } from "../src/domain/policy/policy.ts"
import { type AskedTool, subjectsOf } from "../src/domain/policy/tool-call.ts"
import type { Log } from "./log.ts"
import { words } from "./refusal.ts"

/** What a daemon names in its `auth` that decides by policies. */
export const policiesCapability = "policies"

type Members = Readonly<Record<string, unknown>>

const isText = (value: unknown): value is string => typeof value === "string"
const isTextOrNone = (value: unknown): value is string | undefined => value === undefined || isText(value)

/** One that cannot be read may be a denial: all is asked about instead. */
const ruleOf = (value: unknown): NamedRule => {
  const { rule, action, resource, effect, provider, cwd } = (value ?? {}) as Members
  const isRule = [rule, action, resource].every(isText) && isTextOrNone(provider) && isTextOrNone(cwd)
  if (isRule && (effect === "allow" || effect === "ask" || effect === "deny"))
    return { ...(value as NamedRule), provider, cwd }
  return { rule: isText(rule) ? rule : "", action: "*", resource: "*", effect: "ask" }
}

const setOf = ({ version, rules, default: byDefault, timeoutSeconds, onTimeout }: Members): PolicySet | undefined =>
  isText(version) && Array.isArray(rules)
    ? {
        version,
        rules: rules.map(ruleOf),
        default: byDefault === "deny" ? "deny" : "ask",
        ...(typeof timeoutSeconds === "number" && timeoutSeconds > 0 && { timeoutSeconds }),
        onTimeout: onTimeout === "leave" ? "leave" : "reject"
      }
    : undefined

const asked: Verdict<NamedRule> = { effect: "ask", rule: undefined }

/** The policies of one daemon. */
export class Policies {
  readonly #file: string | undefined
  readonly #log: Log
  #set: PolicySet | undefined
  /** The version in the file. */
  #kept: string | undefined

  /** `file`: where they are kept; undefined: nowhere. */
  constructor(file: string | undefined, log: Log) {
    this.#file = file
    this.#log = log
    this.#set = this.#read()
    this.#kept = this.#set?.version
  }

  #read(): PolicySet | undefined {
    if (this.#file === undefined) return undefined
    try {
      const set = setOf(JSON.parse(readFileSync(this.#file, "utf8")) as Members)
      if (set === undefined) this.#log("the kept policies are none", { file: this.#file })
      return set
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        this.#log("the kept policies cannot be read", { reason: words(error) })
      return undefined
    }
  }

  /** The hub sent these. */
  told(data: Members): void {
    const set = setOf(data)
    if (set === undefined) return this.#log("policies that are none were ignored")
    const saysNothing = this.#set === undefined && set.rules.length === 0 && set.default === "ask"
    this.#set = set
    if (set.version === this.#kept || saysNothing || this.#file === undefined) return
    this.#log("policies", { version: set.version, rules: set.rules.length })
    try {
      const draft = `${this.#file}.${process.pid}`
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      writeFileSync(draft, JSON.stringify(set), { mode: 0o600 })
      renameSync(draft, this.#file)
      this.#kept = set.version
    } catch (error) {
      this.#log("the policies cannot be kept", { reason: words(error) })
    }
  }

  /** What they say of a question. Without any it is asked. */
  decide(call: AskedTool, where: Surroundings): Verdict<NamedRule> {
    return this.#set === undefined ? asked : decide(this.#set.rules, this.#set.default, subjectsOf(call), where)
  }

  /** How long a question waits for an answer, and what it then comes to; undefined: without an end. */
  get deadline(): { readonly millis: number; readonly reject: boolean } | undefined {
    const seconds = this.#set?.timeoutSeconds
    return seconds === undefined ? undefined : { millis: seconds * 1_000, reject: this.#set?.onTimeout !== "leave" }
  }
}
