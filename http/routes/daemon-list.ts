/**
 * Encodes the list of an account's daemons in slices, one per turn of the event loop, however much the daemons
 * reported. A list of one slice is encoded at once. Reads no query.
 */
import { Effect } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { daemonView, type UpdateView } from "../../src/domain/daemon/views.ts"
import { listSliceChars, listSliceDaemonsMax } from "../../src/limits.ts"
import { afterTick } from "../native/tick-flush.ts"
import { type Answer, jsonBytes } from "../pipeline/response.ts"

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

const nextTurn = Effect.callback<void>((resume) => afterTick(() => resume(Effect.void)))

const addRest = Effect.fnUntraced(function* (
  snapshots: Snapshots,
  updates: Updates,
  from: number,
  elements: Array<string>
) {
  for (let at = from; at < snapshots.length; ) {
    yield* nextTurn
    at = addSlice(snapshots, updates, at, elements)
  }
})

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
export const listAnswer = (snapshots: Snapshots, updates: Updates, says: ListSays = {}): Effect.Effect<Answer> => {
  const elements: Array<string> = []
  const at = addSlice(snapshots, updates, 0, elements)
  if (at === snapshots.length) return Effect.succeed(answerOf(elements, says))
  return Effect.map(addRest(snapshots, updates, at, elements), () => answerOf(elements, says))
}

/**
 * An encoder that caches by array: the array of snapshots is the same one as long as no snapshot changed, and so are
 * the updates for some seconds.
 */
export const makeListEncoder = (): ((snapshots: Snapshots, updates: Updates) => Effect.Effect<Answer>) => {
  const encoded = new WeakMap<Snapshots, { readonly updates: Updates; readonly answer: Effect.Effect<Answer> }>()
  return (snapshots, updates) => {
    const known = encoded.get(snapshots)
    if (known?.updates === updates) return known.answer
    return Effect.tap(listAnswer(snapshots, updates), (answer) =>
      Effect.sync(() => encoded.set(snapshots, { updates, answer: Effect.succeed(answer) }))
    )
  }
}
