/** Where the command line writes. Owns stdout and stderr of the commands; the hub's own log never comes through here. */

/** A line on stdout. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** A line on stderr. */
export const printError = (line: string): void => {
  process.stderr.write(`${line}\n`)
}
