/** A value that components show and that changes outside of them. Owns the telling; knows no value's meaning. */
import { useEffect, useState } from "preact/hooks"

/** Holds a value and tells who listens. */
export class Store<A> {
  #value: A
  readonly #listeners = new Set<(value: A) => void>()

  constructor(value: A) {
    this.#value = value
  }

  get value(): A {
    return this.#value
  }

  set(value: A): void {
    if (value === this.#value) return
    this.#value = value
    for (const listener of [...this.#listeners]) listener(value)
  }

  listen(listener: (value: A) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** The store's value, as it is now and as it changes. */
export const useStore = <A>(store: Store<A>): A => {
  const [value, setValue] = useState(() => store.value)
  useEffect(() => {
    setValue(() => store.value)
    return store.listen((next) => setValue(() => next))
  }, [store])
  return value
}
