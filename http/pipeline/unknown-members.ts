/**
 * What a caller gave that a call does not take: members of a body, parameters of a query. Owns how they are found and
 * what is said of each; it refuses nothing. Built once per endpoint from the contract.
 */
import { type Schema, SchemaAST } from "effect"
import { shownName } from "../../src/domain/redaction/shown-name.ts"
import { nearestOf } from "../../src/domain/text/edit-distance.ts"
import type { Issue } from "../../src/errors.ts"
import { warningsMax } from "../../src/limits/edge.ts"
import { isRecord } from "../../src/protocol/is-record.ts"

/** Adds what is not known in a value, `warningsMax` at most, and looks at no more than that takes. */
type Look = (value: unknown, at: string, found: Array<Issue>) => void

const unknown = (what: string, name: string, known: ReadonlyArray<string>): string => {
  const meant = nearestOf(name, known)
  return `is no ${what}${meant === undefined ? "" : `; did you mean ${meant}?`}`
}

const lookAtMembers = (known: ReadonlyMap<string, Look | undefined>, isOpen: boolean): Look => {
  const names = [...known.keys()]
  return (value, at, found) => {
    if (!isRecord(value)) return
    for (const name in value) {
      const look = known.get(name)
      if (look !== undefined) look(value[name], `${at}${name}.`, found)
      else if (!isOpen && !known.has(name) && found.length < warningsMax) {
        const shown = shownName(name)
        found.push({ path: at + shown, message: unknown("member that this call takes", shown, names) })
      }
    }
  }
}

/** Undefined: nothing in such a value can be unknown. */
const lookAt = (ast: SchemaAST.AST): Look | undefined => {
  if (ast._tag === "Objects") {
    const members = ast.propertySignatures.map(({ name, type }) => [String(name), lookAt(type)] as const)
    return lookAtMembers(new Map(members), ast.indexSignatures.length > 0)
  }
  if (ast._tag === "Arrays") {
    const [rest] = ast.rest
    const look = rest === undefined ? undefined : lookAt(rest)
    return (
      look &&
      ((value, at, found) => {
        if (Array.isArray(value)) for (const [nth, one] of value.entries()) look(one, `${at}${nth}.`, found)
      })
    )
  }
  // where several forms have members, what is unknown to one may be known to another
  const looks = ast._tag === "Union" ? ast.types.map(lookAt).filter((look) => look !== undefined) : []
  return looks.length === 1 ? looks[0] : undefined
}

/** Finds the unknown members of a body. */
export const unknownMembersOf = (schema: Schema.Top | undefined): ((body: unknown) => ReadonlyArray<Issue>) => {
  const look = schema === undefined ? undefined : lookAt(SchemaAST.toEncoded(schema.ast))
  return (body) => {
    const found: Array<Issue> = []
    look?.(body, "", found)
    return found
  }
}

/** Finds the unknown parameters of a query, by the names that the call takes. */
export const unknownParametersOf =
  (names: ReadonlyArray<string>) =>
  (query: Readonly<Record<string, unknown>>): ReadonlyArray<Issue> =>
    Object.keys(query)
      .filter((name) => !names.includes(name))
      .slice(0, warningsMax)
      .map(shownName)
      .map((path) => ({ path, message: unknown("parameter that this call takes", path, names) }))

/** What is unknown, in the words of a warning. */
export const warningOf = ({ path, message }: Issue): string => `${JSON.stringify(path)} ${message}`
