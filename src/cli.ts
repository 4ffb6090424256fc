/**
 * The command line of the hub. Owns which command goes where and the exit codes: 0 done, 1 refused or failed, 2 not
 * understood. What a command does lies in cli/, what it understands in cli/parse.ts.
 */
import { Clock, Effect, Result } from "effect"
import { helpText } from "./cli/grammar.ts"
import { type Asked, parse } from "./cli/parse.ts"
import type { Parts } from "./cli/parts.ts"
import { print, printError } from "./cli/print.ts"
import { type Settings, settingsFromEnvironment } from "./config.ts"

export type { Parts } from "./cli/parts.ts"

type OfSettings = Exclude<Asked, { readonly kind: "passed" | "words" }>

// Loaded when asked for: a question to a running hub needs neither a database driver nor a server.
const withSettings = async (asked: OfSettings, parts: Parts, settings: Settings): Promise<Effect.Effect<number>> => {
  if (asked.kind === "admin") return (await import("./cli/ask.ts")).askAndPrint(settings, asked.request, asked.json)
  if (asked.kind === "backup" || asked.kind === "restore")
    return (await import("./cli/backup.ts"))[asked.kind](settings, asked.file, asked.json)
  if (asked.kind === "start" && asked.workers > 1)
    return (await import("./cli/workers.ts")).startWorkers(settings, asked.workers)
  if (asked.kind === "start") return (await import("./cli/start.ts")).start(settings, parts.serve)
  if (asked.kind === "worker") return (await import("./cli/start.ts")).startWorker(settings, parts.serve, asked.number)
  return (await import("./cli/migrate.ts")).migrateAndPrint(settings, asked.json)
}

/** Does what the arguments ask; gives the exit code. */
export const cli = (args: ReadonlyArray<string>, parts: Parts): Effect.Effect<number> =>
  Effect.gen(function* () {
    const read = parse(args, yield* Clock.currentTimeMillis)
    if (Result.isFailure(read)) {
      printError(`hub: ${read.failure.sentence}`)
      return 2
    }
    const asked = read.success
    if (asked.kind === "passed") return yield* Effect.promise(() => parts[asked.to](asked.args))
    if (asked.kind === "words") {
      print(asked.words === "help" ? helpText() : parts.version)
      return 0
    }
    const settings = settingsFromEnvironment()
    if (Result.isSuccess(settings))
      return yield* yield* Effect.promise(() => withSettings(asked, parts, settings.success))
    for (const problem of settings.failure.problems) printError(`hub: ${problem}`)
    return 2
  })
