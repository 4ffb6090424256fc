/**
 * The bench as a command: `./hub bench [scenario …] [options]`. Owns the order of a run, what is printed and written,
 * and the exit code (1 where a figure misses its goal, 2 where something could not be measured or was not understood).
 */

import { writeFileSync } from "node:fs"
import { ArgumentError } from "../src/cli/arguments.ts"
import { plainLines } from "../src/runtime/escape.ts"
import type { Scenario } from "./fixture.ts"
import { type ParsedOptions, parseOptions, usage } from "./options.ts"
import { plan } from "./plan/plan.ts"
import { allHold, type Report, report, table, write } from "./report/figures.ts"
import { page } from "./report/page.ts"
import { makeProgress, type Progress } from "./report/progress.ts"
import { changes, keep, records } from "./report/record.ts"
import { coreTime, stealNote } from "./report/steal.ts"
import { scenarios } from "./scenarios/all.ts"
import { reasonOf, UsageError } from "./usage-error.ts"

const exit = { good: 0, missed: 1, unmeasured: 2, interrupted: 130 }
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

const complain = (text: string): void => void process.stderr.write(plainLines(`hub bench: ${text}\n`))

const finish = (made: ReadonlyArray<Report>, asked: ParsedOptions, print: (text: string) => void): void => {
  if (asked.compare) for (const one of made) print(changes(one, records()[one.scenario]).join("\n"))
  if (asked.record) keep(made)
  if (asked.json !== undefined) write(made, asked.json)
  if (asked.html !== undefined) writeFileSync(asked.html, page(made))
}

/** Each scenario in order; one that fails is reported and does not keep the others from running. */
const perform = async (asked: ParsedOptions, progress: Progress): Promise<{ made: Array<Report>; failed: number }> => {
  const made: Array<Report> = []
  let failed = 0
  for (const [at, name] of asked.names.entries()) {
    const scenario: Scenario = scenarios[name]
    progress.say(name)
    try {
      const from = coreTime()
      const outcome = await scenario(asked.options(name))
      const one = report(name, { ...outcome, notes: [...(outcome.notes ?? []), ...stealNote(from, coreTime())] })
      made.push(one)
      progress.print(`${table(one)}\n`)
    } catch (error) {
      failed++
      const told = error instanceof UsageError ? error.message : `${reasonOf(error)}\n${(error as Error)?.stack ?? ""}`
      progress.print(`${name} was not measured: ${told}\n`)
    }
    progress.done(at + 1)
  }
  return { made, failed }
}

/** What is to be taken back from a hub elsewhere. False where something stays there. */
const takenBack = (made: ReadonlyArray<() => Promise<void>>): Promise<boolean> =>
  Promise.all(made.map((one) => one())).then(
    () => true,
    (error: unknown) => {
      complain(reasonOf(error))
      return false
    }
  )

/**
 * The first signal restores the terminal and takes back what was made elsewhere; a second one ends the bench at once.
 */
const onInterrupt = (quiet: () => void, takeBack: () => Promise<unknown> | undefined): (() => void) => {
  let interrupted = false
  // children and folders end with this process (child-process.ts), which an unhandled signal would not let them
  const interrupt = (): void => {
    if (interrupted) process.exit(exit.interrupted)
    interrupted = true
    quiet()
    const back = takeBack()
    if (back === undefined) process.exit(exit.interrupted)
    complain("interrupted; what it enrolled is taken back (interrupted again, it stays)")
    void back.finally(() => process.exit(exit.interrupted))
  }
  for (const signal of signals) process.on(signal, interrupt)
  return () => {
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Runs what the words ask for; gives the exit code. */
export const bench = async (words: ReadonlyArray<string>): Promise<number> => {
  let progress: Progress | undefined
  const print = (text: string): void =>
    progress === undefined ? void process.stdout.write(plainLines(`${text}\n`)) : progress.print(text)
  const say = (text: string): void => progress?.say(text)
  const made: Array<() => Promise<void>> = []
  const run = async (): Promise<number> => {
    if (words[0] === "plan") {
      plan(words.slice(1), print)
      return exit.good
    }
    const asked = await parseOptions(words, say, (one) => made.push(one))
    if (asked === undefined) {
      print(usage)
      return exit.good
    }
    progress = makeProgress(asked.names.length)
    const { made: reports, failed } = await perform(asked, progress)
    finish(reports, asked, print)
    return failed > 0 ? exit.unmeasured : reports.every(allHold) ? exit.good : exit.missed
  }
  let back: Promise<boolean> | undefined
  const takeBack = (): Promise<boolean> | undefined => {
    if (made.length > 0) back ??= takenBack(made)
    return back
  }
  const over = onInterrupt(() => progress?.stop(), takeBack)
  try {
    const code = await run().catch((error: unknown) => {
      const misused = error instanceof ArgumentError
      if (!misused && !(error instanceof UsageError)) throw error
      complain(misused ? `${error.message}\n\n${usage}` : error.message)
      return exit.unmeasured
    })
    if (made.length > 0) say("what was enrolled is taken back")
    return (await takeBack()) === false ? exit.unmeasured : code
  } finally {
    progress?.stop()
    await takeBack()
    over()
  }
}
