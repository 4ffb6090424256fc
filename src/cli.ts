/**
 * The command line of the hub. Owns which command goes where and the exit codes: 0 done, 1 refused or failed, 2 not
 * understood. What a command does lies in cli/, what it understands in cli/parse.ts.
 */
import { Clock, Effect, Result } from "effect"
import { commandHelp, helpText, helpValue } from "./cli/help.ts"
import { isIntegratorWord } from "./cli/integrator-words.ts"
import { type ParsedCommand, parse } from "./cli/parse.ts"
import { handedOver, print, printError } from "./cli/print.ts"
import type { Parts } from "./cli/programs.ts"
import { hearsSignalsItself } from "./cli/signals.ts"
import { type Settings, settingsFromEnvironment } from "./config.ts"
import { logHandedMillisMax } from "./limits/admin.ts"

export type { Parts } from "./cli/programs.ts"

/** Commands that a signal ends as it comes: they have nothing to give back. */
const asksOnly: ReadonlySet<ParsedCommand["kind"]> = new Set(["admin", "migrate", "doctor"])

type OfSettings = Exclude<ParsedCommand, { readonly kind: "passed" | "words" }>

// Loaded when asked for: a question to a running hub needs neither a database driver nor a server.
const withSettings = async (asked: OfSettings, parts: Parts, settings: Settings): Promise<Effect.Effect<number>> => {
  if (asked.kind === "admin")
    return (await import("./cli/admin-commands.ts")).askAndPrint(settings, asked.request, asked.json)
  if (asked.kind === "backup" || asked.kind === "restore")
    return (await import("./cli/backup.ts"))[asked.kind](settings, asked.file, asked.json)
  if (asked.kind === "start" && asked.workers > 1)
    return (await import("./cli/workers.ts")).startWorkers(settings, asked.workers)
  if (asked.kind === "start") return (await import("./cli/start.ts")).start(settings, parts.serve)
  if (asked.kind === "worker") return (await import("./cli/start.ts")).startWorker(settings, parts.serve, asked.number)
  if (asked.kind === "doctor") return (await import("./cli/doctor.ts")).doctor(settings, asked.json)
  return (await import("./cli/migrate.ts")).migrateAndPrint(settings, asked.json)
}

const words = (asked: Extract<ParsedCommand, { readonly kind: "words" }>, version: string): string => {
  if (asked.words === "version") return asked.json ? JSON.stringify({ version }) : version
  if (asked.json) return JSON.stringify(helpValue())
  return (asked.of && commandHelp(asked.of)) ?? helpText()
}

const perform = (asked: ParsedCommand, parts: Parts): Effect.Effect<number> =>
  Effect.gen(function* () {
    if (asked.kind === "passed") {
      const { to, args } = asked
      const program = Effect.promise(() => (isIntegratorWord(to) ? parts.integrator(to, args) : parts[to](args)))
      return yield* asked.to === "registry" ? program : hearsSignalsItself(program)
    }
    if (asked.kind === "words") {
      print(words(asked, parts.version))
      return 0
    }
    const settings = settingsFromEnvironment()
    if (Result.isSuccess(settings)) {
      const command = yield* Effect.promise(() => withSettings(asked, parts, settings.success))
      return yield* asksOnly.has(asked.kind) ? command : hearsSignalsItself(command)
    }
    for (const problem of settings.failure.problems) printError(`hub: ${problem}`)
    return 2
  })

/** What runs until it is ended and writes a log: a log without a reader must not keep it from ending. */
const isService = (asked: ParsedCommand): boolean =>
  asked.kind === "start" || asked.kind === "worker" || (asked.kind === "passed" && asked.to === "daemon")

/** Does what the arguments ask; gives the exit code once all that was printed is handed over. */
export const cli = (args: ReadonlyArray<string>, parts: Parts): Effect.Effect<number> =>
  Effect.gen(function* () {
    const read = parse(args, yield* Clock.currentTimeMillis)
    if (Result.isFailure(read)) {
      printError(`hub: ${read.failure.sentence}`)
      return 2
    }
    const asked = read.success
    const exit = yield* Effect.exit(perform(asked, parts))
    yield* isService(asked) ? Effect.timeoutOption(handedOver, logHandedMillisMax) : handedOver
    return yield* exit
  })
