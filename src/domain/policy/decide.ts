/**
 * What rules say of what an agent asks for. Owns severity: deny before ask before allow, whatever the order of rules; a
 * line is allowed when each of its commands is, and denied when one of them is. Pure, and used by daemons and the hub.
 */
import { posix } from "node:path"
import { judgeStepsMax, resourceCharsMax, shellDepthMax, subjectsMax } from "../../limits/policies.ts"
import { matchesPerhaps, matchesSurely, Steps, unknownPart } from "./glob.ts"
import type { Action, Effect, Rule } from "./rule.ts"
import { type Invocation, invocation } from "./shell-command.ts"
import { readShellLine, type SimpleCommand } from "./shell-line.ts"

/** One thing that is asked for. */
export interface Subject {
  readonly action: Action
  /** Undefined: it is not said. */
  readonly resource: string | undefined
  /** Where it is not said: words of the agent about it, by which it is denied, and never allowed. */
  readonly hint?: string | undefined
  /** The folder of this alone; undefined: that of all. */
  readonly folder?: string | undefined
}

/** Where it is asked for. */
export interface Surroundings {
  readonly provider?: string | undefined
  /** The folder; undefined: not known. */
  readonly cwd?: string | undefined
}

/** What follows. `rule`: one that says so; undefined: the default. */
export interface Verdict<R extends Rule = Rule> {
  readonly effect: Effect
  readonly rule: R | undefined
}

/** What one part comes to; undefined effect: no rule is about it. */
interface Part<R> {
  readonly effect: Effect | undefined
  readonly rule?: R | undefined
}

const files: ReadonlySet<Action> = new Set(["read", "edit", "delete", "move", "search"])

/** To put so many marks behind one letter into their order would take as long as to compare each with each. */
const manyMarks = /\p{M}{32,}/gu

/** As a file system compares names that knows no upper and lower case: `ſ` is `s` too. */
const lower = (text: string): string =>
  text.replace(manyMarks, unknownPart).normalize("NFC").toUpperCase().toLowerCase()

/** What it takes to read a character of a line, in steps of a comparison. */
const stepsOfReading = 10

const between = new RegExp(`[^\\p{L}\\p{N}_.*?${unknownPart}-]+`, "u")

/** Tokens of a text, in which `*` and `?` of a pattern and what is not known stay. */
const tokensOf = (text: string): ReadonlyArray<string> => text.split(between).filter((token) => token !== "")

const isAny = (pattern: string): boolean => /^[*?]+$/u.test(pattern)

/** A rule as it is compared. */
interface Compared<R> {
  readonly rule: R
  /** Its resource in lower case. */
  readonly pattern: string
  readonly isAny: boolean
  /** The words of that. */
  readonly wanted: ReadonlyArray<string>
}

const compared = <R extends Rule>(rule: R): Compared<R> => {
  const pattern = lower(rule.resource)
  const wanted = tokensOf(pattern).filter((token) => !isAny(token))
  return { rule, pattern, isAny: isAny(pattern), wanted }
}

/** Whether the words of a pattern stand in a command, in their order, with others between them. */
const mentions = (wanted: ReadonlyArray<string>, tokens: ReadonlyArray<string>, steps: Steps): boolean => {
  if (wanted.length === 0) return false
  let found = 0
  for (const token of tokens) {
    const isHere = (found === 0 ? matchesSurely : matchesPerhaps)(wanted[found]!, token, steps)
    if (isHere && ++found === wanted.length) return true
  }
  return false
}

/** Decides by one set of rules, in one place. */
class Judge<R extends Rule> {
  readonly #rules: ReadonlyArray<R>
  readonly #byDefault: Effect
  readonly #cwd: string | undefined
  readonly #steps = new Steps(judgeStepsMax)
  /** Those for an effect and an action, here or elsewhere. */
  readonly #found = new Map<string, ReadonlyArray<Compared<R>>>()

  constructor(rules: ReadonlyArray<R>, byDefault: Effect, { provider, cwd }: Surroundings) {
    this.#cwd = cwd === undefined ? undefined : posix.normalize(cwd)
    this.#rules = rules.filter(
      (rule) =>
        rule.provider === undefined || (provider !== undefined && matchesSurely(rule.provider, provider, this.#steps))
    )
    this.#byDefault = byDefault
  }

  #severity({ effect }: Part<R>): number {
    const is = effect ?? this.#byDefault
    return is === "deny" ? 3 : is === "ask" ? (effect === undefined ? 1 : 2) : 0
  }

  worst(parts: ReadonlyArray<Part<R>>): Part<R> {
    let worst: Part<R> = { effect: "allow" }
    for (const part of parts) {
      const more = this.#severity(part) - this.#severity(worst)
      if (more > 0 || (more === 0 && worst.rule === undefined)) worst = part
    }
    return worst
  }

  /** Of all that is asked. Where too much was compared, what was found against it counts, and nothing allows it. */
  all(subjects: ReadonlyArray<Subject>): Part<R> {
    const parts = subjects.slice(0, subjectsMax).map((subject) => this.subject(subject))
    if (subjects.length === 0 || subjects.length > subjectsMax) parts.push({ effect: undefined })
    if (this.#steps.areSpent) parts.push({ effect: this.#byDefault })
    return this.worst(parts)
  }

  /** False: too much was compared. */
  #spends(steps: number): boolean {
    this.#steps.take(steps)
    return !this.#steps.areSpent
  }

  /** The rules of an effect for an action. In a folder that is not known, none allows by its folder. */
  #about(effect: Effect, action: Action, isHere: boolean): ReadonlyArray<Compared<R>> {
    const name = `${effect} ${action} ${isHere}`
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const isMeant = ({ cwd, ...rule }: Rule): boolean => {
      if (rule.effect !== effect || !matchesSurely(rule.action, action, this.#steps)) return false
      if (cwd === undefined) return true
      if (!isHere || this.#cwd === undefined) return effect !== "allow" || /^\*+$/u.test(cwd)
      return matchesSurely(cwd, this.#cwd, this.#steps)
    }
    const found = this.#rules.filter(isMeant).map(compared)
    this.#found.set(name, found)
    return found
  }

  /** What denies or asks about one of these texts, the whole of what is asked for. */
  #against(action: Action, texts: ReadonlyArray<string>, tokens: ReadonlyArray<string>, isHere: boolean): Part<R> {
    const found: Array<Part<R>> = []
    const steps = this.#steps
    const lowered = texts.map(lower)
    for (const effect of ["deny", "ask"] as const) {
      for (const { rule, pattern, wanted } of this.#about(effect, action, isHere)) {
        if (lowered.some((text) => matchesSurely(pattern, text, steps))) found.push({ effect, rule })
        // perhaps it is what is denied: no other rule allows it, and a person looks
        else if (lowered.some((text) => matchesPerhaps(pattern, text, steps)) || mentions(wanted, tokens, steps))
          found.push({ effect: "ask", rule })
      }
    }
    return this.worst(found)
  }

  #allowing(action: Action, texts: ReadonlyArray<string>, isHere: boolean): Part<R> {
    const found = this.#about("allow", action, isHere).find(({ rule }) =>
      texts.some((text) => matchesSurely(rule.resource, text, this.#steps))
    )
    return found === undefined ? { effect: undefined } : { effect: "allow", rule: found.rule }
  }

  subject({ action, resource, hint, folder }: Subject): Part<R> {
    if (resource === undefined || resource.length > resourceCharsMax) return this.#unsaid(action, hint)
    const isHere = folder === undefined || this.#isHere(folder)
    if (action === "execute") return this.line(resource, 0, isHere)
    const texts = files.has(action)
      ? this.#paths(resource, isHere)
      : [action === "fetch" ? addressOf(resource) : resource]
    return this.worst([this.#against(action, [resource, ...texts], [], isHere), this.#allowing(action, texts, isHere)])
  }

  #isHere(folder: string): boolean {
    const within = (path: string) => path.replace(/(?<=.)\/$/u, "")
    return this.#cwd !== undefined && within(posix.resolve(this.#cwd, folder)) === within(this.#cwd)
  }

  #unsaid(action: Action, hint: string | undefined): Part<R> {
    const parts = [this.#against(action, [unknownPart], [], true), this.#allowing(action, [unknownPart], true)]
    if (hint !== undefined) {
      const said = this.subject({ action, resource: hint.slice(0, resourceCharsMax) })
      if (said.effect === "deny" || said.effect === "ask") parts.push(said)
    }
    return this.worst(parts)
  }

  /** A path as rules may name it: absolute, and below the folder. What is not known of it may lead anywhere. */
  #paths(path: string, isHere: boolean): ReadonlyArray<string> {
    if (!this.#spends((path.length + (this.#cwd ?? "").length) * stepsOfReading)) return []
    const normal = posix.normalize(path)
    if (path.includes(unknownPart) || (path.startsWith("~") && !normal.startsWith("~"))) return [unknownPart]
    if (path.startsWith("~")) return [normal, normal.replace(/^[^/]*/u, unknownPart)]
    if (!isHere && !path.startsWith("/")) return [normal.startsWith("..") ? unknownPart : `${unknownPart}/${normal}`]
    if (this.#cwd === undefined) return normal.startsWith("..") ? [] : [normal]
    const absolute = posix.resolve(this.#cwd, path)
    const below = posix.relative(this.#cwd, absolute)
    return below.startsWith("..") ? [absolute] : [absolute, below === "" ? "." : below]
  }

  line(text: string, depth: number, isHereFirst: boolean): Part<R> {
    if (depth > shellDepthMax || !this.#spends(text.length * stepsOfReading)) return { effect: undefined }
    const { commands, unclear } = readShellLine(text)
    const parts: Array<Part<R>> = unclear || commands.length === 0 ? [{ effect: undefined }] : []
    if (unclear) parts.push(this.#against("execute", [text], tokensOf(lower(text)), isHereFirst))
    let isHere = isHereFirst
    for (const command of commands) {
      const run = invocation(command)
      parts.push(this.#command(command, run, depth, isHere))
      if (run.moves) isHere = false
    }
    return this.worst(parts)
  }

  #command(command: SimpleCommand, run: Invocation, depth: number, isHere: boolean): Part<R> {
    const file = (action: Action, path: string): Part<R> =>
      action === "edit" && path === "/dev/null"
        ? { effect: "allow" }
        : this.worst([
            this.#against(action, [path, ...this.#paths(path, isHere)], [], isHere),
            this.#allowing(action, this.#paths(path, isHere), isHere)
          ])
    const parts = [
      ...command.reads.map((path) => file("read", path)),
      ...command.writes.map((path) => file("edit", path))
    ]
    if (command.words.length > 0) parts.push(this.#invoked(run, depth, isHere))
    return this.worst(parts)
  }

  /** A command that names a file which a rule denies may do what is denied: no rule allows it. */
  #named(text: string, isHere: boolean): Part<R> {
    const paths = text
      .split(/[ =,:@]/u)
      .filter((word) => /[./\w]/u.test(word))
      .flatMap((word) => [word, ...this.#paths(word, isHere)])
      .map(lower)
    for (const action of files) {
      const found = this.#about("deny", action, isHere).find(
        ({ pattern, isAny }) => !isAny && paths.some((path) => matchesSurely(pattern, path, this.#steps))
      )
      if (found !== undefined) return { effect: "ask", rule: found.rule }
    }
    return { effect: "allow" }
  }

  #invoked(run: Invocation, depth: number, isHere: boolean): Part<R> {
    if (!this.#spends(run.text.length * (1 + run.perhapsStarts.length) * stepsOfReading)) return { effect: undefined }
    const tokens = tokensOf(lower(run.text))
    const parts = [this.#against("execute", run.names, tokens, isHere)]
    for (const one of run.perhapsStarts) {
      parts.push(this.#against("execute", one.names, [], isHere))
      // of words that are perhaps no command only what is against them counts
      for (const line of one.lines) {
        const said = this.line(line, depth + 1, isHere)
        if (said.effect === "deny" || said.effect === "ask") parts.push(said)
      }
    }
    for (const one of run.starts) parts.push(this.#invoked(one, depth, isHere))
    for (const line of run.lines) parts.push(this.line(line, depth + 1, isHere))
    parts.push(this.#named(run.text, isHere))
    if (run.unclear) parts.push({ effect: undefined })
    if (!run.isOnlyLines) parts.push(this.#allowing("execute", [run.text], isHere))
    return this.worst(parts)
  }
}

/** An address in its one form, so that what looks like a host is one. */
const addressOf = (text: string): string => {
  try {
    return new URL(text).href
  } catch {
    return text
  }
}

/** What the rules say of all that a question asks for. */
export const decide = <R extends Rule>(
  rules: ReadonlyArray<R>,
  byDefault: "ask" | "deny",
  subjects: ReadonlyArray<Subject>,
  where: Surroundings
): Verdict<R> => {
  const { effect, rule } = new Judge(rules, byDefault, where).all(subjects)
  return { effect: effect ?? byDefault, rule }
}
