/** `hub secret rotate` as an operation: a step at a time. Owns the text by which the next step goes on. */
import { Effect } from "effect"
import { type RotationPlace, SecretRotation } from "../auth/secret-rotation.ts"
import { type Part, Refused, type Request } from "./operation.ts"

const textOf = ({ resealed, walk, table, row }: RotationPlace): string => [resealed, walk, table, row].join(" ")

const placeOf = (text: string): RotationPlace | undefined => {
  const [, resealed, walk, table, row] = /^(\d{1,12}) (\d) (\d) (\S*)$/u.exec(text) ?? []
  if (row === undefined) return undefined
  return { resealed: Number(resealed), walk: Number(walk), table: Number(table), row }
}

/** Seals some more secrets anew. An answer without `after` means that the older keys may be dropped. */
export const rotateSecrets = Effect.fnUntraced(function* (request: Request<"secret rotate">) {
  const { step } = yield* SecretRotation
  const from = request.after === undefined ? undefined : placeOf(request.after)
  if (request.after !== undefined && from === undefined)
    return yield* new Refused({ sentence: "the place to go on from is not understood: begin anew" })
  const done = yield* Effect.catchTags(step(from), {
    RotationRefused: ({ sentence }) => new Refused({ sentence }),
    SecretKeyUnusable: ({ sentence }) => new Refused({ sentence })
  })
  const answer = { sealedUnder: done.keyId, resealed: done.resealed, mayBeDropped: done.olderKeyIds }
  return { answer, after: done.next && textOf(done.next) } satisfies Part
})
