/** Names statements so that each is prepared once per connection. Owns the bounded table of names; sends nothing. */
import { preparedStatementsMax } from "../../limits/store.ts"

/** From a statement's text to its name. */
export class Prepared {
  readonly #names = new Map<string, string>()

  /** The name of this text; undefined past the bound: it is then sent without one. */
  name(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= preparedStatementsMax) return known
    const name = `h${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
