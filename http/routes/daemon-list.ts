/**
 * The list of an account's daemons as its answer. Owns its making in slices, so that however much the daemons reported,
 * one turn of the event loop makes one slice; a list that is one slice is made at once. Reads no query.
 */
import { Effect, Exit } from "effect"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { daemonView } from "../../src/domain/daemon/views.ts"
import { listSliceChars, listSliceDaemonsMax } from "../../src/limits.ts"
import { mapped } from "../../src/runtime/direct.ts"
import { afterTick } from "../native/tick-flush.ts"
import { type Answer, jsonBytes } from "../pipeline/response.ts"

type Snapshots = ReadonlyArray<Snapshot>

/** Adds one slice to the elements. Gives back where the next one begins. */
const addSlice = (snapshots: Snapshots, from: number, elements: Array<string>): number => {
  const end = Math.min(snapshots.length, from + listSliceDaemonsMax)
  let chars = 0
  let at = from
  while (at < end && chars < listSliceChars) {
    const element = JSON.stringify(daemonView(snapshots[at++]!))
    chars += element.length
    elements.push(element)
  }
  return at
}

const nextTurn = Effect.callback<void>((resume) => afterTick(() => resume(Effect.void)))

const addRest = Effect.fnUntraced(function* (snapshots: Snapshots, from: number, elements: Array<string>) {
  for (let at = from; at < snapshots.length; ) {
    yield* nextTurn
    at = addSlice(snapshots, at, elements)
  }
})

const answerOf = (elements: ReadonlyArray<string>, cursor: string | undefined): Answer => {
  const tail = cursor === undefined ? "]}" : `],"nextCursor":${JSON.stringify(cursor)}}`
  return jsonBytes(Buffer.from(`{"daemons":[${elements.join(",")}${tail}`))
}

/** Makes the answer, with where the next page begins if there is one. */
export const listAnswer = (snapshots: Snapshots, cursor?: string): Effect.Effect<Answer> => {
  const elements: Array<string> = []
  const at = addSlice(snapshots, 0, elements)
  if (at === snapshots.length) return Exit.succeed(answerOf(elements, cursor))
  return Effect.map(addRest(snapshots, at, elements), () => answerOf(elements, cursor))
}

/** The same, made once for snapshots that are the same array as long as none of them changed. */
export const makeListEncoder = (): ((snapshots: Snapshots) => Effect.Effect<Answer>) => {
  const encoded = new WeakMap<Snapshots, Answer>()
  return (snapshots) => {
    const known = encoded.get(snapshots)
    return known === undefined
      ? mapped(listAnswer(snapshots), (answer) => {
          encoded.set(snapshots, answer)
          return answer
        })
      : Exit.succeed(known)
  }
}
