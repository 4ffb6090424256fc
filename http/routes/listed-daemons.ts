/**
 * The list of daemons, in its three forms: all that are connected, pages of a list, and what a search finds. Owns which
 * of them a call asks for, and that a list is encoded in slices, one per turn of the event loop, however much the
 * daemons reported; actors have the daemons.
 */
import { Effect } from "effect"
import { DaemonFinding } from "../../actors/commands/daemon-finding.ts"
import { Directory } from "../../actors/commands/directory.ts"
import { Rollouts, type VersionStates } from "../../actors/daemon-versions/rollouts.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { wordsOf } from "../../src/domain/daemon/daemon-filter.ts"
import type { UpdateState } from "../../src/domain/daemon/rollout.ts"
import { bothOf, readSelector } from "../../src/domain/daemon/selector.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { daemonView, type UpdateView } from "../../src/domain/daemon/views.ts"
import { invalid } from "../../src/errors.ts"
import { findWordsMax, listPageMax } from "../../src/limits/daemon-api.ts"
import { listSliceChars, listSliceDaemonsMax } from "../../src/limits.ts"
import { workTurns } from "../../src/runtime/work-turns.ts"
import type { Daemons } from "../api/daemons.ts"
import type { Routes } from "../pipeline/action.ts"
import { type Answer, jsonBytes } from "../pipeline/response.ts"
import { findCursor, listCursor, readFindCursor, readListCursor } from "./paging.ts"

type Snapshots = ReadonlyArray<Snapshot>
/** How the daemons of an account stand with their policies of versions. */
type Updates = ReadonlyMap<string, UpdateView>

/** Adds one slice to the elements. Returns where the next slice begins. */
const addSlice = (snapshots: Snapshots, updates: Updates, from: number, elements: Array<string>): number => {
  const end = Math.min(snapshots.length, from + listSliceDaemonsMax)
  let chars = 0
  let at = from
  while (at < end && chars < listSliceChars) {
    const snapshot = snapshots[at++]!
    const element = JSON.stringify(daemonView(snapshot, updates.get(snapshot.daemonId)))
    chars += element.length
    elements.push(element)
  }
  return at
}

/** What the list says beside its daemons. */
interface ListSays {
  readonly nextCursor?: string | undefined
  readonly total?: number
  readonly onlineTotal?: number
}

const answerOf = (elements: ReadonlyArray<string>, says: ListSays): Answer => {
  const members = Object.entries(says).filter(([, value]) => value !== undefined)
  const tail = members.map(([name, value]) => `,"${name}":${JSON.stringify(value)}`).join("")
  return jsonBytes(Buffer.from(`{"daemons":[${elements.join(",")}]${tail}}`))
}

/** Encodes the list, with the cursor of the next page if there is one. */
export const listAnswer = (
  accountId: string,
  snapshots: Snapshots,
  updates: Updates,
  says: ListSays = {}
): Effect.Effect<Answer> => {
  const elements: Array<string> = []
  let at = 0
  const step = (): boolean => {
    at = addSlice(snapshots, updates, at, elements)
    return at === snapshots.length
  }
  if (workTurns.begin(step)) return Effect.succeed(answerOf(elements, says))
  return Effect.map(workTurns.finish(accountId, step), () => answerOf(elements, says))
}

/**
 * An encoder that caches by array: the array of snapshots is the same one as long as no snapshot changed, and so are
 * the updates for some seconds.
 */
export const makeListEncoder = (): ((
  accountId: string,
  snapshots: Snapshots,
  updates: Updates
) => Effect.Effect<Answer>) => {
  const encoded = new WeakMap<Snapshots, { readonly updates: Updates; readonly answer: Effect.Effect<Answer> }>()
  return (accountId, snapshots, updates) => {
    const known = encoded.get(snapshots)
    if (known?.updates === updates) return known.answer
    return Effect.tap(listAnswer(accountId, snapshots, updates), (answer) =>
      Effect.sync(() => encoded.set(snapshots, { updates, answer: Effect.succeed(answer) }))
    )
  }
}

type ListCall = Parameters<Routes<typeof Daemons>["list"]>[0]

interface Lists {
  readonly directory: Directory["Service"]
  readonly finding: DaemonFinding["Service"]
  readonly rollouts: Rollouts["Service"]
  readonly listOf: ReturnType<typeof makeListEncoder>
}

const listPage = Effect.fnUntraced(function* (
  { directory, rollouts }: Lists,
  { accountId, selector: bound }: Principal,
  { include, limit, cursor, selector: given }: ListCall["query"]
) {
  const after = yield* readListCursor(cursor)
  const selector = given === undefined ? undefined : yield* Effect.fromResult(readSelector(given))
  const asked = { accountId, offline: include === "offline", limit, after, selector: bothOf(bound, selector) }
  const { snapshots, next } = yield* directory.list(asked)
  return yield* listAnswer(accountId, snapshots, yield* rollouts.states(accountId), {
    nextCursor: next && listCursor(next)
  })
})

/** The daemons that stand so with their policy. */
const standing = (states: VersionStates, asked: UpdateState): ReadonlySet<string> =>
  new Set([...states].flatMap(([daemonId, { state }]) => (state === asked ? [daemonId] : [])))

/** A search: what is asked of an account's daemons beside their tags. */
const foundPage = Effect.fnUntraced(function* (
  { finding, rollouts }: Lists,
  { accountId, selector: bound }: Principal,
  { include, limit = listPageMax, cursor, selector: given, q = "", status, update, sort = "name" }: ListCall["query"]
) {
  const after = yield* readFindCursor(cursor)
  const selector = bothOf(bound, given === undefined ? undefined : yield* Effect.fromResult(readSelector(given))) ?? []
  const words = wordsOf(q)
  if (words.length > findWordsMax) return yield* invalid("q", `must be at most ${findWordsMax} words`)
  const offline = include === "offline" || status === "offline"
  const states = yield* rollouts.states(accountId)
  const ids = update === undefined ? undefined : standing(states, update)
  const filter = { words, status, selector, ids }
  const { snapshots, next, total, online } = yield* finding.find({
    accountId,
    ...{ filter, offline, order: sort, limit, after }
  })
  return yield* listAnswer(accountId, snapshots, states, {
    nextCursor: next && findCursor(next),
    total,
    onlineTotal: online
  })
})

const list = (lists: Lists, { principal, query }: ListCall) => {
  const { q, status, update, sort } = query
  if ([q, status, update, sort].some((asked) => asked !== undefined)) return foundPage(lists, principal, query)
  const isPlain = query.include === undefined && query.limit === undefined && query.cursor === undefined
  if (!isPlain || query.selector !== undefined || principal.selector !== undefined) {
    return listPage(lists, principal, query)
  }
  const { directory, rollouts, listOf } = lists
  const { accountId } = principal
  const updates = rollouts.fresh(accountId)
  if (updates === undefined)
    return Effect.flatMap(rollouts.states(accountId), (read) =>
      Effect.flatMap(directory.online(accountId), (snapshots) => listOf(accountId, snapshots, read))
    )
  return Effect.flatMapEager(directory.online(accountId), (snapshots) => listOf(accountId, snapshots, updates))
}

export const makeListedDaemons = Effect.gen(function* () {
  const lists: Lists = {
    directory: yield* Directory,
    finding: yield* DaemonFinding,
    rollouts: yield* Rollouts,
    listOf: makeListEncoder()
  }
  return (call: ListCall) => list(lists, call)
})
