/**
 * Reads outside input by a schema, tolerantly. An optional member that is null is absent, and what does not fit costs
 * only itself: an optional member, an element of a list, or the object that needs the member. Owns that rule and the
 * report of what was dropped, by place and reason; a report never holds a value.
 */
import { Schema, SchemaAST } from "effect"
import { isRecord } from "./is-record.ts"

/** Something that did not fit and was dropped. */
export interface SchemaViolation {
  /** Where in its frame, without positions in lists: one of a closed list. */
  readonly member: string
  /** Where it was first, with positions. */
  readonly at: string
  /** Why: one of a closed list. */
  readonly reason: string
  /** How many. */
  readonly times: number
}

/** No misfits. */
const noMisfits: ReadonlyArray<SchemaViolation> = []

/** What was read: of the frame's own members each that fits. */
export interface TolerantlyRead<A> {
  readonly read: Partial<A>
  readonly misfits: ReadonlyArray<SchemaViolation>
}

/** Annotations that a schema may bear for this reading. */
export interface Tolerance {
  /** What it expects, as the reason says it. */
  readonly expected?: string
  /** Elements of a list, or members of an object without a shape of its own, that are kept. */
  readonly atMost?: number
  /** Makes the one form of a value that is written in several. */
  readonly oneForm?: (value: unknown) => unknown
}

type PathSegment = string | number

/** What did not fit: in which member, without positions. */
interface Found {
  readonly names: ReadonlyArray<string>
  readonly at: string
  readonly reason: string
  times: number
}

/** Whether a path, positions apart, has these names. They are the schemas' own texts, so that none is compared long. */
const hasNames = (path: ReadonlyArray<PathSegment>, names: ReadonlyArray<string>): boolean => {
  let nth = 0
  for (const place of path) if (typeof place === "string" && place !== names[nth++]) return false
  return nth === names.length
}

/** What did not fit in one frame. */
class ViolationList {
  readonly #path: Array<PathSegment>
  /** As many as there are members and reasons: a frame of a hundred thousand misfits makes no text for each. */
  #found: Array<Found> | undefined

  constructor(frame: string) {
    this.#path = [frame]
  }

  enter(place: PathSegment): void {
    this.#path.push(place)
  }

  leave(): void {
    this.#path.pop()
  }

  add(reason: string, times = 1): void {
    this.#found ??= []
    for (const one of this.#found) {
      if (one.reason !== reason || !hasNames(this.#path, one.names)) continue
      one.times += times
      return
    }
    const names = this.#path.filter((place) => typeof place === "string")
    const at = this.#path.map((place) => (typeof place === "string" ? `.${place}` : `[${place}]`)).join("")
    this.#found.push({ names, at: at.replace(/^\./u, ""), reason, times })
  }

  get found(): ReadonlyArray<SchemaViolation> {
    if (this.#found === undefined) return noMisfits
    return this.#found.map(({ names, at, reason, times }) => ({ member: names.join("."), at, reason, times }))
  }
}

/** Gives what fits of a value; undefined, and says why, where none of it does. */
type Reader = (value: unknown, misfits: ViolationList) => unknown

type Members = Readonly<Record<string, unknown>>

interface Member {
  readonly name: string
  readonly optional: boolean
  readonly read: Reader
  /** Whether a plain value fits, asked first: most do, and need no place to be told. */
  readonly fits: ((value: unknown) => boolean) | undefined
}

const membersOf = (ast: SchemaAST.Objects): ReadonlyArray<Member> =>
  ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    optional: SchemaAST.isOptional(type),
    read: readerOf(type),
    fits: plainlyFits(type)
  }))

/** Reads one member into the object. False: it is needed and not there. */
const readMember = (member: Member, from: Members, to: Record<string, unknown>, misfits: ViolationList): boolean => {
  const { name, optional, read, fits } = member
  const given = Object.hasOwn(from, name) ? from[name] : undefined
  if (optional && (given === undefined || given === null)) return true
  if (fits?.(given) === true) {
    to[name] = given
    return true
  }
  misfits.enter(name)
  if (given === undefined) misfits.add("is missing")
  else {
    const fitting = given === null ? misfits.add("is null") : read(given, misfits)
    if (fitting !== undefined) to[name] = fitting
  }
  misfits.leave()
  return optional || to[name] !== undefined
}

const objectReader = (ast: SchemaAST.Objects, reason: string): Reader => {
  const members = membersOf(ast)
  return (value, misfits) => {
    if (!isRecord(value)) return misfits.add(reason)
    const read: Record<string, unknown> = {}
    let whole = true
    for (const member of members) if (!readMember(member, value, read, misfits)) whole = false
    return whole ? read : undefined
  }
}

const beyond = (most: number): string => `is beyond the ${most} that are kept`

/** An object of values by key, of which each fits or not. No place names a key: it is foreign text. */
const recordReader = (ast: SchemaAST.Objects, reason: string, atMost = Number.POSITIVE_INFINITY): Reader => {
  const { parameter, type } = ast.indexSignatures[0]!
  const [isKey, isValue] = [Schema.is(Schema.make(parameter)), Schema.is(Schema.make(type))]
  return (value, misfits) => {
    if (!isRecord(value)) return misfits.add(reason)
    const entries = Object.entries(value)
    const fitting = entries.filter(([key, one]) => isKey(key) && isValue(one))
    const kept = fitting.slice(0, atMost)
    if (fitting.length < entries.length) {
      misfits.add("has a key or a value that does not fit", entries.length - fitting.length)
    }
    if (kept.length < fitting.length) misfits.add(beyond(atMost), fitting.length - kept.length)
    return Object.fromEntries(kept)
  }
}

const listReader = (ast: SchemaAST.Arrays, reason: string, atMost = Number.POSITIVE_INFINITY): Reader => {
  const readElement = readerOf(ast.rest[0]!)
  return (value, misfits) => {
    if (!Array.isArray(value)) return misfits.add(reason)
    const read: Array<unknown> = []
    const most = Math.min(value.length, atMost)
    for (let at = 0; at < most; at++) {
      misfits.enter(at)
      const element: unknown = value[at]
      const fitting = element === null ? misfits.add("is null") : readElement(element, misfits)
      if (fitting !== undefined) read.push(fitting)
      misfits.leave()
    }
    if (value.length > most) {
      misfits.enter(most)
      misfits.add(beyond(atMost), value.length - most)
      misfits.leave()
    }
    return read
  }
}

/** What has no shape of its own is kept as it is, as far as there is not too much of it. */
const freeReader =
  (atMost = Number.POSITIVE_INFINITY): Reader =>
  (value, misfits) => {
    if (atMost === Number.POSITIVE_INFINITY || typeof value !== "object" || value === null) return value
    const entries = Object.entries(value)
    if (entries.length <= atMost) return value
    misfits.add(beyond(atMost), entries.length - atMost)
    return Array.isArray(value) ? value.slice(0, atMost) : Object.fromEntries(entries.slice(0, atMost))
  }

const isText = (value: unknown): boolean => typeof value === "string"
const isFlag = (value: unknown): boolean => typeof value === "boolean"

const plainlyFits = (ast: SchemaAST.AST): ((value: unknown) => boolean) | undefined => {
  if (ast.checks !== undefined) return undefined
  return SchemaAST.isString(ast) ? isText : SchemaAST.isBoolean(ast) ? isFlag : undefined
}

const valueReader = (ast: SchemaAST.AST, reason: string): Reader => {
  const fits = plainlyFits(ast) ?? Schema.is(Schema.make(ast))
  return (value, misfits) => (fits(value) ? value : misfits.add(reason))
}

const shapeReader = (ast: SchemaAST.AST, { expected, atMost }: Tolerance): Reader => {
  if (SchemaAST.isObjects(ast) && ast.indexSignatures.length > 0) {
    return recordReader(ast, `is not ${expected ?? "an object"}`, atMost)
  }
  if (SchemaAST.isObjects(ast)) return objectReader(ast, `is not ${expected ?? "an object"}`)
  if (SchemaAST.isArrays(ast)) return listReader(ast, `is not ${expected ?? "a list"}`, atMost)
  return SchemaAST.isUnknown(ast) ? freeReader(atMost) : valueReader(ast, `is not ${expected ?? "of its type"}`)
}

const readerOf = (ast: SchemaAST.AST): Reader => {
  const tolerance: Tolerance = SchemaAST.resolve(ast) ?? {}
  const read = shapeReader(ast, tolerance)
  const { oneForm } = tolerance
  return oneForm === undefined ? read : (value, misfits) => read(oneForm(value), misfits)
}

/** Every `member` of a misfit there can be: it is filled as readers are prepared, from their schemas alone. */
export const misfitMembers: Set<string> = new Set()

const enumerate = (ast: SchemaAST.AST, path: string): void => {
  misfitMembers.add(path)
  if (SchemaAST.isObjects(ast)) {
    for (const { name, type } of ast.propertySignatures) enumerate(type, `${path}.${String(name)}`)
  } else if (SchemaAST.isArrays(ast)) enumerate(ast.rest[0]!, path)
}

/** Prepares the reading of one type of frame. None of its own members costs the frame: who needs one asks for it. */
export const tolerantReader = <A>(frame: string, schema: Schema.Codec<A>): ((data: Members) => TolerantlyRead<A>) => {
  const { ast } = schema
  if (!SchemaAST.isObjects(ast)) throw new Error(`the data of ${frame} is no object with members`)
  const members = membersOf(ast)
  enumerate(ast, frame)
  return (data) => {
    const misfits = new ViolationList(frame)
    const read: Record<string, unknown> = {}
    for (const member of members) readMember(member, data, read, misfits)
    return { read: read as Partial<A>, misfits: misfits.found }
  }
}
