/** Where the command line writes. Owns stdout and stderr of the commands; the hub's own log never comes through here. */

/** Whoever reads may go first (`| head`): what is left is for nobody, and no reason for a hub to end. */
export const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
}

/** A line on stdout. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** A line on stderr. */
export const printError = (line: string): void => {
  process.stderr.write(`${line}\n`)
}
