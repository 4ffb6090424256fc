/**
 * Where the command line writes. Owns stdout and stderr of the commands, and the wait until they are handed over. The
 * hub's own log does not pass through here. No control character does, whatever text a line holds.
 */
import { Data, Effect } from "effect"
import { plainLines } from "../runtime/escape.ts"

/** A reader may leave first (`| head`): the rest of the output is lost, and the hub does not end because of it. */
export const ignoreClosedOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
}

/** Whether a person reads stdout. */
export const isTerminal = (): boolean => process.stdout.isTTY === true

/** A line on stdout. */
export const print = (line: string): void => {
  process.stdout.write(plainLines(`${line}\n`))
}

/** Stdout has no reader. */
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

/** Text on stdout. Ends when it is handed over, however slow the reader; false when the reader has left. */
export const handOver = (text: string): Effect.Effect<boolean> => handed(process.stdout, text)

/** Ends when all output is handed over, or its reader has left. A pipe takes 64 KiB; the rest waits here. */
export const handedOver: Effect.Effect<void> = Effect.andThen(
  handed(process.stdout, ""),
  Effect.asVoid(handed(process.stderr, ""))
)
