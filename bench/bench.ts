/**
 * The bench as a command: `./hub bench [scenario …] [options]`. Owns the order of a run, what is printed and written, and the
 * exit code (1 where a figure misses its goal, 2 where something could not be measured or was not understood).
 */
import { writeFileSync } from "node:fs"
import { allHold, type Report, report, table, write } from "./figures.ts"
import type { Scenario } from "./ground.ts"
import { type Asked, readWords, usage } from "./options.ts"
import { page } from "./page.ts"
import { makeProgress, type Progress } from "./progress.ts"
import { changes, keep, records } from "./record.ts"
import { scenarios } from "./scenarios/all.ts"
import { coreTime, stealNote } from "./steal.ts"
import { reasonOf, Unfit } from "./unfit.ts"

const exit = { good: 0, missed: 1, unfit: 2 }

const finish = (made: ReadonlyArray<Report>, asked: Asked, print: (text: string) => void): void => {
  if (asked.compare) for (const one of made) print(changes(one, records()[one.scenario]).join("\n"))
  if (asked.record) keep(made)
  if (asked.json !== undefined) write(made, asked.json)
  if (asked.html !== undefined) writeFileSync(asked.html, page(made))
}

/** Each scenario in its turn; one that fails is told and does not keep the others from running. */
const perform = async (asked: Asked, progress: Progress): Promise<{ made: Array<Report>; failed: number }> => {
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
      const told = error instanceof Unfit ? error.message : `${reasonOf(error)}\n${(error as Error)?.stack ?? ""}`
      progress.print(`${name} was not measured: ${told}\n`)
    }
    progress.done(at + 1)
  }
  return { made, failed }
}

/** Runs what the words ask for; gives the exit code. */
export const bench = async (words: ReadonlyArray<string>): Promise<number> => {
  let progress: Progress | undefined
  const print = (text: string): void =>
    progress === undefined ? void process.stdout.write(`${text}\n`) : progress.print(text)
  // children end with this process (reap.ts), which an unhandled signal would not let them
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
  let asked: Asked | undefined
  try {
    asked = await readWords(words, (text) => progress?.say(text))
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    print(`${error.message}\n\n${usage}`)
    return exit.unfit
  }
  if (asked === undefined) {
    print(usage)
    return exit.good
  }
  progress = makeProgress(asked.names.length)
  try {
    const { made, failed } = await perform(asked, progress)
    finish(made, asked, print)
    return failed > 0 ? exit.unfit : made.every(allHold) ? exit.good : exit.missed
  } finally {
    progress.stop()
    await Promise.all(asked.hubs.map((hub) => hub.stop()))
  }
}
