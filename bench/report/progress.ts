/** What a person sees while a bench runs: on a terminal a bar with what is going on, elsewhere a line for each step. */

import { type Options, SingleBar } from "cli-progress"
import { plainLines } from "../../src/runtime/escape.ts"

/** The live line. All of it goes to standard error: figures alone are on standard output. */
export interface Progress {
  /** What is going on now. */
  readonly say: (text: string) => void
  /** So many scenarios are done. */
  readonly done: (count: number) => void
  /** Prints on standard output without tearing the bar. */
  readonly print: (text: string) => void
  readonly stop: () => void
}

const print = (text: string): void => void process.stdout.write(plainLines(`${text}\n`))

const lines = (): Progress => ({
  say: (text) => void process.stderr.write(plainLines(`${text}\n`)),
  done: () => undefined,
  print,
  stop: () => undefined
})

const options: Options = {
  format: "{bar} {value}/{total} {duration_formatted}  {text}",
  barsize: 12,
  hideCursor: true,
  clearOnComplete: true,
  // the time that has gone by moves on also while nothing is said
  forceRedraw: true,
  // the bench itself restores the terminal when it is interrupted
  gracefulExit: false,
  fps: 4,
  stream: process.stderr,
  linewrap: false
}

const bar = (total: number): Progress => {
  const drawn = new SingleBar(options)
  let value = 0
  let text = ""
  const draw = (): void => drawn.start(total, value, { text })
  draw()
  return {
    say: (now) => {
      text = now
      drawn.update(value, { text })
    },
    done: (count) => {
      value = count
      drawn.update(value, { text })
    },
    print: (what) => {
      // cleared, printed, drawn again below
      drawn.stop()
      print(what)
      draw()
    },
    stop: () => drawn.stop()
  }
}

/** A bar on a terminal, lines elsewhere. Once stopped it says nothing more: the terminal is as it was. */
export const makeProgress = (total: number): Progress => {
  const shown = process.stderr.isTTY ? bar(total) : lines()
  let over = false
  const unlessOver =
    <A>(act: (value: A) => void) =>
    (value: A): void => {
      if (!over) act(value)
    }
  return {
    say: unlessOver(shown.say),
    done: unlessOver(shown.done),
    print: unlessOver(shown.print),
    stop: () => {
      if (!over) shown.stop()
      over = true
    }
  }
}
