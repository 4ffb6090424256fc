/**
 * The list of an account's daemons as its answer. Owns its making in slices, so that however much the daemons reported, one
 * turn of the event loop makes one slice; a list that is one slice is made at once. Reads no query.
 */
import { Effect, Exit } from "effect"
import type { Picture } from "../../src/domain/daemon/snapshot.ts"
import { daemonView } from "../../src/domain/daemon/views.ts"
import { listSliceChars, listSliceDaemonsMax } from "../../src/limits.ts"
import { mapped } from "../../src/runtime/direct.ts"
import { later } from "../native/tick-flush.ts"
import { type Answer, jsonBytes } from "../pipeline/response.ts"

type Pictures = ReadonlyArray<Picture>

/** Adds one slice to the elements. Gives back where the next one begins. */
const addSlice = (pictures: Pictures, from: number, elements: Array<string>): number => {
  const end = Math.min(pictures.length, from + listSliceDaemonsMax)
  let chars = 0
  let at = from
  while (at < end && chars < listSliceChars) {
    const element = JSON.stringify(daemonView(pictures[at++]!))
    chars += element.length
    elements.push(element)
  }
  return at
}

const nextTurn = Effect.callback<void>((resume) => later(() => resume(Effect.void)))

const addRest = Effect.fnUntraced(function* (pictures: Pictures, from: number, elements: Array<string>) {
  for (let at = from; at < pictures.length; ) {
    yield* nextTurn
    at = addSlice(pictures, at, elements)
  }
})

const answerOf = (elements: ReadonlyArray<string>, cursor: string | undefined): Answer => {
  const tail = cursor === undefined ? "]}" : `],"nextCursor":${JSON.stringify(cursor)}}`
  return jsonBytes(Buffer.from(`{"daemons":[${elements.join(",")}${tail}`))
}

/** Makes the answer, with where the next page begins if there is one. */
export const listAnswer = (pictures: Pictures, cursor?: string): Effect.Effect<Answer> => {
  const elements: Array<string> = []
  const at = addSlice(pictures, 0, elements)
  if (at === pictures.length) return Exit.succeed(answerOf(elements, cursor))
  return Effect.map(addRest(pictures, at, elements), () => answerOf(elements, cursor))
}

/** The same, made once for pictures that are the same array as long as none of them changed. */
export const lastingList = (): ((pictures: Pictures) => Effect.Effect<Answer>) => {
  const made = new WeakMap<Pictures, Answer>()
  return (pictures) => {
    const known = made.get(pictures)
    return known === undefined
      ? mapped(listAnswer(pictures), (answer) => {
          made.set(pictures, answer)
          return answer
        })
      : Exit.succeed(known)
  }
}
