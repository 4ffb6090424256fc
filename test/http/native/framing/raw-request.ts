/**
 * A raw request and the hub's expected behaviour. Owns the format of a row; the files beside it have the rows. Each row
 * is our own; `source` names the rule, or a published list of cases with a similar one.
 */

/** One row of a table. */
export interface Row {
  readonly name: string
  /** A rule of RFC 9112 or RFC 9110, or the list that asks the same. */
  readonly source: string
  /** Each character is a byte. */
  readonly bytes: string
  /**
   * The statuses of the answers in order, then what becomes of the connection. `waits`: for bytes that were announced.
   */
  readonly want: string
  /** The marks of the requests that run, in order. */
  readonly ran: string
}

/**
 * Where two readers may disagree, this stands in the place that is a request for one of them; nobody may run it. It has
 * 40 bytes.
 */
export const smuggled = "GET /mark/smuggled HTTP/1.1\r\nHost: h\r\n\r\n"

/** A body that runs `POST /take`. */
export const body = '{"mark":"m"}'

/** `body`, as one chunk and the end of chunks. */
export const chunked = `c\r\n${body}\r\n0\r\n\r\n`

/** A head with a host, the lines given, and what stands behind it. */
export const head = (line: string, lines: ReadonlyArray<string>, behind = ""): string =>
  `${[`${line} HTTP/1.1`, "Host: h", ...lines].join("\r\n")}\r\n\r\n${behind}`

/** Rows of one source. */
export const from =
  (source: string) =>
  (name: string, bytes: string, want: string, ran = ""): Row => ({ name, source, bytes, want, ran })
