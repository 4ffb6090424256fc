/**
 * Where the command line writes. Owns stdout and stderr of the commands, and the wait until their reader has it all;
 * the hub's own log never comes through here. No control character does, whoever's words a line holds.
 */
import { Data, Effect } from "effect"
import { plainLines } from "../runtime/escape.ts"

/** Whoever reads may go first (`| head`): what is left is for nobody, and no reason for a hub to end. */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
}

/** A line on stdout. */
export const print = (line: string): void => {
  process.stdout.write(plainLines(`${line}\n`))
}

/** Nobody takes what is written to stdout. */
export class NotShown extends Data.TaggedError("NotShown")<{ readonly sentence: string }> {}

/** Lines on stdout; ends once the system has taken them. For what is shown once. */
export const show = (lines: ReadonlyArray<string>): Effect.Effect<void, NotShown> =>
  Effect.callback((resume) => {
    process.stdout.write(plainLines(lines.map((line) => `${line}\n`).join("")), (fault) => {
      const sentence = `what is shown once cannot be shown (${fault?.message}): start the hub where its output is read`
      resume(fault ? Effect.fail(new NotShown({ sentence })) : Effect.void)
    })
  })

/** A line on stderr. */
export const printError = (line: string): void => {
  process.stderr.write(plainLines(`${line}\n`))
}

const handed = (stream: NodeJS.WriteStream, text: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    stream.write(plainLines(text), (error) => resume(Effect.succeed(error === undefined || error === null)))
  })

/** Text on stdout. Ends when it is handed over, however slow the reader; false when nobody reads any more. */
export const handOver = (text: string): Effect.Effect<boolean> => handed(process.stdout, text)

/**
 * Ends when all that was written is handed over, or nobody reads it any more. A pipe takes 64 KiB, the rest waits here.
 */
export const handedOver: Effect.Effect<void> = Effect.andThen(
  handed(process.stdout, ""),
  Effect.asVoid(handed(process.stderr, ""))
)
