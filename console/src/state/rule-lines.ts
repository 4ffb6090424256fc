/** Rules of a policy as lines that a person edits: `deny execute git push *`. Owns that form. */
import type { Input, Output } from "@hub/client"

type Rule = Input<"policies.set">["rules"][number]
type Shown = Output<"policies.list">["policies"][number]["rules"][number]

const form = /^(allow|ask|deny)\s+(\S+)\s+(.*?)(?:\s+@provider=(\S+))?(?:\s+@cwd=(\S+))?$/u

/** The line of a rule. */
export const lineOf = ({ effect, action, resource, provider, cwd }: Shown): string =>
  [
    `${effect} ${action} ${resource}`,
    ...(provider === undefined ? [] : [`@provider=${provider}`]),
    ...(cwd === undefined ? [] : [`@cwd=${cwd}`])
  ].join(" ")

/** Reads lines; throws with the number of the first that is none. */
export const rulesOf = (text: string): Array<Rule> =>
  text
    .split("\n")
    .map((line, at) => [line.trim(), at + 1] as const)
    .filter(([line]) => line !== "")
    .map(([line, number]) => {
      const [, effect, action, resource, provider, cwd] = form.exec(line) ?? []
      if (effect === undefined || action === undefined || resource === undefined)
        throw new Error(`Line ${number} is none of: allow, ask or deny, what is asked for, and a pattern.`)
      return {
        effect: effect as Rule["effect"],
        action,
        resource,
        ...(provider !== undefined && { provider }),
        ...(cwd !== undefined && { cwd })
      }
    })
