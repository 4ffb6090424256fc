/** Rows about Content-Length in every form. */
import { body, chunked, from, head, type Row, smuggled } from "./raw-request.ts"

const rfc = from("RFC 9112 6.3")
const grammar = from("RFC 9110 8.6")
const probe = from("Http11Probe, lengths")
const spec = from("h1spec, lengths")
const garden = from("http-garden, lengths")
const ours = from("review of the hub")

const take = (lines: ReadonlyArray<string>, behind = body): string => head("POST /take", lines, behind)
const get = (lines: ReadonlyArray<string>, behind = ""): string => head("GET /mark/a", lines, behind)
const refused = "400 closes"

/** What is not one plain number. */
const odd = [
  ["with a plus", "+12"],
  ["with a minus", "-12"],
  ["of minus zero", "-0"],
  ["in hexadecimal", "0xc"],
  ["in octal notation", "0o14"],
  ["with an underscore", "1_2"],
  ["with a blank inside", "1 2"],
  ["with a point", "12.0"],
  ["with an exponent", "12e0"],
  ["as a word", "twelve"],
  ["in quotes", '"12"'],
  ["as a list of the same", "12, 12"],
  ["as a list of others", "12, 0"],
  ["as a list of three", "12,12,12"],
  ["as a list with an empty end", "12,"],
  ["as a list with an empty begin", ",12"],
  ["with a semicolon", "12;"],
  ["of 2^63", "9223372036854775808"],
  ["of 2^64 and 12", "18446744073709551628"],
  ["of 16 digits", "1000000000000000"],
  ["of 30 digits", "1".repeat(30)],
  ["of 30 digits below zero", `-${"1".repeat(30)}`],
  ["of digits outside ASCII in the middle", "1\xb22"]
] as const

/** Rows about lengths. */
export const lengths: ReadonlyArray<Row> = [
  rfc("a length as it should be", take(["Content-Length: 12"]), "200 stays", "m"),
  rfc("two requests behind one another", take(["Content-Length: 12"]) + get([]), "200 200 stays", "m a"),
  rfc("a body shorter than its length", take(["Content-Length: 13"]), "waits"),
  rfc("a body longer than its length", take(["Content-Length: 12"], `${body}x`), "200 waits", "m"),
  rfc("a body that is a request", take(["Content-Length: 40"], smuggled), "400 stays"),
  probe("a length of zero and no body", take(["Content-Length: 0"], ""), "400 stays"),
  probe("a length of several zeros and no body", take(["Content-Length: 000"], ""), "400 stays"),
  probe("a length with zeros before", take(["Content-Length: 0012"]), "200 stays", "m"),
  probe("a length without a blank before", take(["Content-Length:12"]), "200 stays", "m"),
  probe("a length with a tab before", take(["Content-Length:\t12"]), "200 stays", "m"),
  probe("a length with blanks around", take(["Content-Length:   12  \t "]), "200 stays", "m"),
  spec("a length in mixed case", take(["cOnTeNt-LeNgTh: 12"]), "200 stays", "m"),
  grammar("a length of a name with an underscore", take(["Content_Length: 12"]), "411 closes"),
  garden("a length with a blank before the colon", take(["Content-Length : 12"]), refused),
  garden("a length with a tab before the colon", take(["Content-Length\t: 12"]), refused),
  garden(
    "a length behind a blank as the first line",
    `POST /take HTTP/1.1\r\n Content-Length: 12\r\nHost: h\r\n\r\n`,
    refused
  ),
  garden("a length with a NUL behind the name", take(["Content-Length\0: 12"]), refused),
  garden("a length with a NUL in the value", take(["Content-Length: 1\x002"]), refused),
  garden("a length with a vertical tab before", take(["Content-Length: \v12"]), refused),
  garden("a length with a carriage return inside", take(["Content-Length: 1\r2"]), "waits"),
  ...odd.map(([how, value]) => grammar(`a length ${how}`, take([`Content-Length: ${value}`]), refused)),
  ...odd.map(([how, value]) => ours(`GET with a length ${how}`, get([`Content-Length: ${value}`], smuggled), refused)),
  ours("an empty length", take(["Content-Length:"]), refused),
  ours("an empty length of blanks", take(["Content-Length:  \t"]), refused),
  ours("an empty length and a request behind", take(["Content-Length:"], smuggled), refused),
  ours("an empty length, then one", take(["Content-Length:", "Content-Length: 40"], smuggled), refused),
  ours("a length, then an empty one", take(["Content-Length: 0", "Content-Length:"], smuggled), refused),
  ours("GET with an empty length, then one", get(["Content-Length:", "Content-Length: 40"], smuggled), refused),
  ours(
    "DELETE with an empty length, then one",
    head("DELETE /mark/a", ["Content-Length:", "Content-Length: 40"], smuggled),
    refused
  ),
  ours(
    "an unknown path with an empty length, then one",
    head("GET /nowhere", ["Content-Length:", "Content-Length: 40"], smuggled),
    refused
  ),
  rfc("two lengths that agree", take(["Content-Length: 12", "Content-Length: 12"]), refused),
  rfc("two lengths that differ", take(["Content-Length: 12", "Content-Length: 0"], body + smuggled), refused),
  rfc(
    "two lengths that differ, the smaller first",
    take(["Content-Length: 0", "Content-Length: 40"], smuggled),
    refused
  ),
  rfc("three lengths", take(["Content-Length: 12", "Content-Length: 12", "Content-Length: 12"]), refused),
  rfc("two lengths apart", take(["Content-Length: 0", "Accept: */*", "CONTENT-LENGTH: 42"], smuggled), refused),
  rfc("GET with two lengths", get(["Content-Length: 0", "Content-Length: 40"], smuggled), refused),
  rfc(
    "a length and chunks",
    take(["Content-Length: 40", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    refused
  ),
  rfc(
    "chunks and a length",
    take(["Transfer-Encoding: chunked", "Content-Length: 3"], `0\r\n\r\n${smuggled}`),
    refused
  ),
  rfc("a length of zero and chunks", take(["Content-Length: 0", "Transfer-Encoding: chunked"], chunked), refused),
  rfc(
    "GET with a length and chunks",
    get(["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    refused
  ),
  ours(
    "an empty length and chunks",
    take(["Content-Length:", "Transfer-Encoding: chunked"], chunked + smuggled),
    refused
  ),
  ours("a length and an empty coding", take(["Content-Length: 12", "Transfer-Encoding:"], body + smuggled), refused),
  ours(
    "an empty coding, chunks and a length",
    take(["Transfer-Encoding:", "Transfer-Encoding: chunked", "Content-Length: 0"], chunked + smuggled),
    refused
  )
]
