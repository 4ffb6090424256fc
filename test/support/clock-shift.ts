/**
 * Loaded before a program (`--import`): sets its wall clock off by HUB_TEST_CLOCK_SHIFT milliseconds. Owns nothing
 * else.
 */
const shift = Number(process.env["HUB_TEST_CLOCK_SHIFT"])
const Real = Date

class Shifted extends Real {
  constructor(...args: ReadonlyArray<unknown>) {
    super(...((args.length === 0 ? [Real.now() + shift] : args) as [number]))
  }
  static override now(): number {
    return Real.now() + shift
  }
}

globalThis.Date = Shifted as DateConstructor
