/** The daemons that are chosen in the list, for what is done with many at once. Owns their bound. */
import { daemonsChosenMax } from "../limits.ts"
import { onOtherOwner } from "./session.ts"
import { Store } from "./store.ts"

/** Their ids; it stays while other views of the same account are open. */
export const chosenDaemons = new Store<ReadonlySet<string>>(new Set())

/** Chooses these, or no longer. */
export const choose = (ids: Iterable<string>, chosen: boolean): void => {
  const next = new Set(chosenDaemons.value)
  for (const id of ids) {
    if (!chosen) next.delete(id)
    else if (next.size < daemonsChosenMax) next.add(id)
  }
  chosenDaemons.set(next)
}

/** Chooses none. */
export const chooseNone = (): void => chosenDaemons.set(new Set())
onOtherOwner(chooseNone)

/** Tags as they are typed: `env=prod`, `gpu`, and `old-` for one that goes. Throws, in words for who typed them. */
export const tagChanges = (typed: string): Readonly<Record<string, string | null>> => {
  const words = typed.split(/[\s,]+/u).filter((word) => word !== "")
  const changes = words.map((word): readonly [string, string | null] => {
    const at = word.indexOf("=")
    if (at >= 0) return [word.slice(0, at), word.slice(at + 1)]
    return word.endsWith("-") ? [word.slice(0, -1), null] : [word, ""]
  })
  if (changes.length === 0 || changes.some(([key]) => key === ""))
    throw new Error("Write tags as env=prod gpu, and old- for one that goes.")
  return Object.fromEntries(changes)
}
