/**
 * Where the first credentials are shown: at a terminal there, else in a file that only this user may read, since what
 * is no terminal is collected as a log. Owns the file; makes no credential.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { fileFault } from "../runtime/file-fault.ts"
import { isTerminal, NotShown, show } from "./print.ts"

/** Its name in the data folder. */
export const credentialsFile = "first-start.txt"

const written = (dataDir: string, lines: ReadonlyArray<string>): Effect.Effect<void, NotShown> => {
  const file = join(dataDir, credentialsFile)
  const write = Effect.try({
    try: () => {
      // what an earlier start began is not overwritten with the rights that it had
      rmSync(file, { force: true })
      writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx" })
    },
    catch: (fault) => new NotShown({ sentence: fileFault(`the file for the first credentials ${file}`, fault) })
  })
  const told = "first start: its credentials are in a file that only this user may read; remove it once they are kept"
  return Effect.andThen(write, Effect.logWarning(told, { file }))
}

export const showFirst = (dataDir: string) => (lines: ReadonlyArray<string>) =>
  isTerminal() ? show(lines) : written(dataDir, lines)
