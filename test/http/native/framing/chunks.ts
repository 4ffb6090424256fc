/** Rows about the chunks of a body, which the library parses loosely and shows only as data. */
import { body, from, head, type Row, smuggled } from "./raw-request.ts"

const rfc = from("RFC 9112 7.1")
const probe = from("Http11Probe, chunks")
const garden = from("http-garden, chunks")
const ours = from("review of the hub")

const take = (chunks: string): string => head("POST /take", ["Transfer-Encoding: chunked"], chunks)
/** The body under this size line, then the end, then a request for whoever read the size otherwise. */
const size = (line: string): string => take(`${line}\r\n${body}\r\n0\r\n\r\n${smuggled}`)
const alone = (line: string): string => take(`${line}\r\n${body}\r\n0\r\n\r\n`)
const refused = "400 closes"

/** Rows about chunks. */
export const chunks: ReadonlyArray<Row> = [
  rfc("one chunk", alone("c"), "200 closes", "m"),
  rfc("a size in upper case", alone("C"), "200 closes", "m"),
  rfc("a size with zeros before", alone("0000c"), "200 closes", "m"),
  rfc("a size with blanks behind", alone("c  "), "200 closes", "m"),
  rfc("three chunks", take(`1\r\n{\r\na\r\n${body.slice(1, 11)}\r\n1\r\n}\r\n0\r\n\r\n`), "200 closes", "m"),
  rfc("an end of several zeros", take(`c\r\n${body}\r\n000\r\n\r\n`), "200 closes", "m"),
  rfc("no chunk but the end", take("0\r\n\r\n"), "400 closes"),
  rfc("no end", take(`c\r\n${body}\r\n`), "waits"),
  rfc("no chunk", take(""), "waits"),
  rfc("half of a chunk", take("c\r\n{"), "waits"),
  ours("a chunk, its end, and a request", size("c"), "closes"),
  ours("a chunk, its end, and no request", take(`c\r\n${body}\r\n0\r\n\r\nxyz`), "200 closes", "m"),
  ours("an empty size", take(`c\r\n${body}\r\n\r\n${smuggled}`), "closes"),
  ours("an empty size first", take(`\r\n${smuggled}`), "closes"),
  ours("an empty size, two bytes, and a request", take(`c\r\n${body}\r\n\r\nXX${smuggled}`), "closes"),
  ours("an empty size, then the end", take(`c\r\n${body}\r\n\r\n0\r\n\r\n`), "200 closes", "m"),
  probe("a size behind a blank", size(" c"), refused),
  probe("a size behind a tab", size("\tc"), refused),
  probe("a size with 0x", size("0xc"), refused),
  probe("a size with an underscore", size("0_c"), refused),
  probe("a size with a minus", size("-c"), refused),
  probe("a size with a plus", size("+c"), refused),
  probe("a size that is a word", size("zz"), refused),
  probe("a size in quotes", size('"c"'), refused),
  probe("a size of 16 digits f", size("f".repeat(16)), refused),
  probe("a size of 2^64 and 12", size("1000000000000000c"), refused),
  garden("a size of a letter behind f", size("g"), "waits"),
  probe("an extension without a name", alone("c;"), refused),
  probe("an extension without a name, and a request", size("c;"), refused),
  probe("an extension", size("c;a=b"), refused),
  probe("an extension of a longer name", size("c;name=value"), refused),
  probe("an extension in quotes", size('c;a="b"'), refused),
  probe("an extension behind a blank", size("c ;a=b"), "closes"),
  probe("a long extension", size(`c;${"x".repeat(5_000)}`), refused),
  probe("an extension with a line feed", size("c;a\nb"), refused),
  probe("an extension with a carriage return", size("c;a\rb"), refused),
  probe("an extension of the end", take(`c\r\n${body}\r\n0;a\r\n\r\n${smuggled}`), "waits"),
  garden("an extension of control characters", size("c;\x01\x02"), refused),
  garden("a NUL behind the size", size("c\0"), "closes"),
  garden("text behind the size and a blank", size("c xyz"), "closes"),
  garden("a bare line feed behind the size", take(`c\n${body}\r\n0\r\n\r\n${smuggled}`), "closes"),
  garden("bare line feeds everywhere", take(`c\n${body}\n0\n\n${smuggled}`), "closes"),
  garden("a bare carriage return behind the size", take(`c\r${body}\r\n0\r\n\r\n${smuggled}`), refused),
  probe("a chunk longer than its size", take(`5\r\n${body}\r\n0\r\n\r\n${smuggled}`), refused),
  probe("a chunk without a line end", take(`c\r\n${body}0\r\n\r\n${smuggled}`), "closes"),
  probe("a chunk with two other bytes for its line end", take(`c\r\n${body}XX0\r\n\r\n${smuggled}`), "closes"),
  garden("an end with two other bytes for its line end", take(`c\r\n${body}\r\n0\r\nXX${smuggled}`), "closes"),
  probe("a trailer", take(`c\r\n${body}\r\n0\r\nA: b\r\n\r\n`), "505 closes"),
  probe("a trailer that is a length", take(`c\r\n${body}\r\n0\r\nContent-Length: 40\r\n\r\n${smuggled}`), "505 closes"),
  probe(
    "a trailer that is a coding",
    take(`c\r\n${body}\r\n0\r\nTransfer-Encoding: x\r\n\r\n${smuggled}`),
    "505 closes"
  ),
  probe("a trailer that is a credential", take(`c\r\n${body}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`), "505 closes"),
  garden("a trailer that is a request", take(`c\r\n${body}\r\n0\r\nXX${smuggled.trimEnd()}\r\n\r\n`), "closes"),
  ours("data that looks like the end of chunks", take(`17\r\n${body}\r\n0\r\n\r\n   \r\n0\r\n\r\n`), refused)
]
