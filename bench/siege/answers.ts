/** Counts the answers that come over a connection, in whatever parts. Owns the few bytes between two parts. */

const statusLine = /HTTP\/1\.1 (\d{3})[^\r\n]*\r\n/gu
/** Longer than any status line of the hub and of a proxy. */
const lineChars = 64

/** Calls `each` with the status of every answer, in order. */
export const countAnswers = (each: (status: string) => void): ((chunk: Buffer) => void) => {
  let rest = ""
  return (chunk) => {
    const text = rest + chunk.toString("latin1")
    let end = 0
    for (const match of text.matchAll(statusLine)) {
      each(match[1]!)
      end = match.index + match[0].length
    }
    rest = text.slice(Math.max(end, text.length - lineChars))
  }
}
