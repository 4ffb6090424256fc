/**
 * A rule: what an agent may do, by patterns over what it asks for. Owns the shape, and which rules are refused or
 * warned of when they are written. decide.ts applies them. Pure.
 */
import { policyWarningsMax, rulePatternCharsMax, warningStepsMax } from "../../limits/policies.ts"
import { matchesSurely, Steps, unknownPart } from "./glob.ts"
import { readShellLine } from "./shell-line.ts"

/** What agents ask for, by the kinds of tool calls of the Agent Client Protocol. */
export const actions = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other"
] as const
export type Action = (typeof actions)[number]

/** Of several rules that match, the later of these counts. */
export const effects = ["allow", "ask", "deny"] as const
export type Effect = (typeof effects)[number]

/** One rule. All patterns are over the whole value, in which `*` is any text and `?` any character. */
export interface Rule {
  readonly action: string
  /** A path, a shell line, an address, or the name of a tool. */
  readonly resource: string
  readonly effect: Effect
  /** The type of the agent. Absent: any. */
  readonly provider?: string | undefined
  /** The folder that the agent works in. Absent: any. */
  readonly cwd?: string | undefined
}

/** What is wrong with a rule, and in which member. */
export interface RuleIssue {
  readonly member: "action" | "resource" | "provider" | "cwd"
  readonly message: string
}

const members = ["action", "resource", "provider", "cwd"] as const

const matchesSome = (pattern: string): boolean => actions.some((action) => matchesSurely(pattern, action))

/** A command of a rule that is no single command would be compared with each command of a line, and be none of them. */
const isOneCommand = (pattern: string): boolean => {
  const { commands, unclear } = readShellLine(pattern)
  const [only, ...more] = commands
  return (
    only !== undefined &&
    more.length === 0 &&
    !unclear &&
    only.reads.length + only.writes.length + only.input.length === 0
  )
}

const resourceIssue = ({ action, resource }: Rule): string | undefined => {
  if (resource === "") return "must not be empty: `*` is any"
  if (action !== "execute") return undefined
  if (/["'\\`$]/u.test(resource))
    return "never matches: commands are compared without their quotes, and what a variable or a substitution stands for is only matched by `*`"
  if (resource !== resource.trim()) return "never matches: a command neither begins nor ends with a blank"
  if (!/^[*?]*$/u.test(resource) && !isOneCommand(resource))
    return "never matches: each command of a line is judged alone; write one rule for each"
  return undefined
}

/** What is wrong with a rule; empty: nothing. A rule that can never match is refused. */
export const ruleIssues = (rule: Rule): ReadonlyArray<RuleIssue> => {
  const issues: Array<RuleIssue> = []
  for (const member of members) {
    const pattern = rule[member]
    if (pattern !== undefined && pattern.length > rulePatternCharsMax)
      issues.push({ member, message: `must have at most ${rulePatternCharsMax} characters` })
    else if (pattern?.includes("\u0000") === true) issues.push({ member, message: "must not hold a NUL" })
  }
  if (issues.length > 0) return issues
  if (!matchesSome(rule.action))
    issues.push({ member: "action", message: `never matches: must match one of ${actions.join(", ")}` })
  const message = resourceIssue(rule)
  if (message !== undefined) issues.push({ member: "resource", message })
  if (rule.provider === "") issues.push({ member: "provider", message: "never matches: leave it out for any" })
  if (rule.cwd !== undefined && !/^(?:[*?/~]|[A-Za-z]:)/u.test(rule.cwd))
    issues.push({ member: "cwd", message: "never matches: must be an absolute path, or begin with `*`" })
  return issues
}

/** A rule's patterns as the questions that they match: what is wild in them may be anything. */
const asked = (rule: Rule): Partial<Rule> => {
  const texts = members.map((member) => [member, rule[member]?.replaceAll(/[*?]/gu, unknownPart)])
  return Object.fromEntries(texts) as Partial<Rule>
}

/** Whether a rule matches every question that another does, as far as it can be told from their text. */
const covers = (outer: Rule, inner: Partial<Rule>, steps: Steps): boolean =>
  !steps.areSpent &&
  members.every((member) => {
    const [wide, narrow] = [outer[member], inner[member]]
    if (wide === undefined) return true
    return narrow !== undefined && matchesSurely(wide, narrow, steps)
  })

const warningOf = (rule: Rule, at: number, rules: ReadonlyArray<Rule>, steps: Steps): string | undefined => {
  const name = `Rule ${at + 1} (${JSON.stringify(rule.resource.slice(0, 80))})`
  const words = rule.resource.split(" ")
  const early = words.slice(0, -1).some((word) => word.includes("*"))
  if (rule.effect === "allow" && rule.action === "execute" && early)
    return `${name} has a * before its last word, which also stands for other options and commands.`
  if (rule.effect === "allow" && matchesSurely(rule.action, "execute") && /^[*?]+$/u.test(rule.resource))
    return `${name} allows every command that no other rule asks about or denies.`
  const inner = asked(rule)
  const severer = rules.findIndex(
    (other) => effects.indexOf(other.effect) > effects.indexOf(rule.effect) && covers(other, inner, steps)
  )
  return severer < 0 ? undefined : `${name} has no effect: rule ${severer + 1} is severer and matches the same.`
}

/** What the author of rules is told, beside that they are kept; of rules that take too long to compare not all. */
export const ruleWarnings = (rules: ReadonlyArray<Rule>): ReadonlyArray<string> => {
  const steps = new Steps(warningStepsMax)
  return rules.flatMap((rule, at) => warningOf(rule, at, rules, steps) ?? []).slice(0, policyWarningsMax)
}
