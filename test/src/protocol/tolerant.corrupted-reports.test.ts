/** Any one element of a report that is corrupted costs only itself, or what cannot be without it. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeFrame } from "../../../src/protocol/codec.ts"
import { type Members, modals, providers, reports, sessions } from "../../support/frame-members.ts"

type Json = Record<string, unknown>

const read = (data: unknown) => {
  const text = JSON.stringify({ type: "status_report", data })
  const frame = decodeFrame(text) as { type: string; data: Json; misfits?: ReadonlyArray<{ at: string }> }
  return { type: frame.type, data: frame.data, problems: (frame.misfits ?? []).map(({ at }) => at) }
}

describe("any one element that is corrupted", () => {
  const optional = (members: Members) => Object.keys(members).filter((name) => !members[name]![1].includes(null))
  const some = (members: Members, more: Record<string, fc.Arbitrary<unknown>> = {}) =>
    fc.record(
      { ...Object.fromEntries(Object.entries(members).map(([name, [fits]]) => [name, fc.constant(fits)])), ...more },
      { requiredKeys: Object.keys(members).filter((name) => !optional(members).includes(name)) }
    )
  const report = some(reports, {
    sessions: fc.array(some(sessions), { maxLength: 4 }),
    availableProviders: fc.array(some(providers), { maxLength: 4 }),
    workspaces: fc.array(fc.constant({ name: "a", path: "/a" }), { maxLength: 3 })
  })

  type Path = ReadonlyArray<string | number>
  const shapes: Readonly<Record<string, Members>> = {
    sessions,
    availableProviders: providers,
    activeModal: modals,
    workspace: {},
    workspaces: {}
  }
  const shapeAt = (path: Path): Members =>
    shapes[String(path.findLast((part) => typeof part === "string" && part in shapes))] ?? reports

  /** Every place of a report that can be wrong, with values that do not fit there. */
  const places = (value: unknown, path: Path = []): ReadonlyArray<readonly [Path, unknown]> => {
    const inner = typeof value === "object" && value !== null ? Object.entries(value) : []
    return inner.flatMap(([name, member]) => {
      const here = [...path, Array.isArray(value) ? Number(name) : name]
      if (/^(?:summaryMetadata|providerControls|controlValues|p2p|workspaces?)$/u.test(String(path.at(-1)))) return []
      const wrong = Array.isArray(value) ? [7, null] : [...(shapeAt(path)[name]?.[1] ?? []), null]
      return [...wrong.map((bad) => [here, bad] as const), ...places(member, here)]
    })
  }
  const set = (value: unknown, [first, ...rest]: Path, bad: unknown): unknown => {
    const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Record<string | number, unknown>
    copy[first!] = rest.length === 0 ? bad : set(copy[first!], rest, bad)
    return copy
  }
  const without = (value: unknown, [first, ...rest]: Path): unknown => {
    if (Array.isArray(value)) {
      return rest.length === 0
        ? value.filter((_, at) => at !== first)
        : set(value, [first!], without(value[first as number], rest))
    }
    const { [first!]: inner, ...others } = value as Json
    return rest.length === 0 ? others : { ...others, [first!]: without(inner, rest) }
  }
  /** What it costs: itself, unless what it stands in needs it. */
  const cost = (path: Path): Path => {
    const name = path.at(-1)
    const isNeeded = typeof name === "string" && path.length > 1 && !optional(shapeAt(path.slice(0, -1))).includes(name)
    return isNeeded ? cost(path.slice(0, -1)) : path
  }

  it("costs only itself, and only what does not fit is named", () => {
    const corrupted = report
      .filter((given) => places(given).length > 0)
      .chain((given) => fc.constantFrom(...places(given)).map(([path, bad]) => ({ given, path, bad })))
    fc.assert(
      fc.property(corrupted, ({ given, path, bad }) => {
        expect(read(given)).toEqual({ type: "status_report", data: given, problems: [] })
        const { type, data, problems } = read(set(given, path, bad))
        expect(type).toBe("status_report")
        expect(data).toEqual(without(given, cost(path)))
        const name = path.at(-1)!
        const isAbsent = bad === null && typeof name === "string" && optional(shapeAt(path.slice(0, -1))).includes(name)
        const at = path.map((part) => (typeof part === "string" ? `.${part}` : `[${part}]`)).join("")
        expect(problems).toEqual(isAbsent ? [] : [`status_report${at}`])
      }),
      { numRuns: 500 }
    )
  })
})
