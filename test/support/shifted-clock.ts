/**
 * Loaded before a program (`--import`): sets its wall clock off by HUB_TEST_CLOCK_SHIFT milliseconds, or by as many as
 * the file HUB_TEST_CLOCK_FILE holds at the time. Owns nothing else.
 */
import { readFileSync } from "node:fs"

const lookMillis = 50
let shift = Number(process.env["HUB_TEST_CLOCK_SHIFT"] ?? 0)
const file = process.env["HUB_TEST_CLOCK_FILE"]
const look = (): void => {
  const text = readFileSync(file!, "utf8")
  // empty while it is written
  if (text !== "") shift = Number(text)
}
if (file !== undefined) {
  look()
  setInterval(look, lookMillis).unref()
}
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
