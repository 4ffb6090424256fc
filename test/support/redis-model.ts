/** What nodes leave in Redis for each other, as a model under a clock of the test's own. Owns the texts. */

/** The model: texts with an end. */
export class RedisModel {
  private readonly now: () => number
  private readonly values = new Map<string, { readonly value: string; readonly until: number }>()

  constructor(now: () => number) {
    this.now = now
  }

  call(command: string, [key, value, , millis]: ReadonlyArray<unknown>): string | number | null {
    const name = String(key)
    const found = this.values.get(name)
    switch (command) {
      case "SET":
        this.values.set(name, { value: String(value), until: this.now() + Number(millis) })
        return "OK"
      case "GET":
        return found !== undefined && found.until > this.now() ? found.value : null
      case "DEL":
        return this.values.delete(name) ? 1 : 0
      default:
        throw new Error(`the model of Redis has no ${command}`)
    }
  }

  /** It loses all it holds. */
  flush(): void {
    this.values.clear()
  }
}
