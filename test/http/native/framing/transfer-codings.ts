/** Rows about Transfer-Encoding in every form. */
import { body, chunked, from, head, type Row, smuggled } from "./raw-request.ts"

const rfc = from("RFC 9112 6.1")
const probe = from("Http11Probe, smuggling")
const garden = from("http-garden, codings")
const ours = from("review of the hub")

const take = (lines: ReadonlyArray<string>, behind = chunked + smuggled): string => head("POST /take", lines, behind)
const coding = (value: string): string => take([`Transfer-Encoding: ${value}`])
const refused = "400 closes"

const others = [
  "identity",
  "gzip",
  "xchunked",
  "chunkedx",
  "chunk",
  "gzip, chunked",
  "chunked, gzip",
  "chunked, identity",
  "identity, chunked",
  "chunked, chunked",
  ", chunked",
  "chunked,",
  "chunked;q=1",
  "chunked;",
  '"chunked"',
  "chunked chunked",
  "chun ked",
  "c\x80hunked",
  "*"
]

/** Rows about codings. */
export const codings: ReadonlyArray<Row> = [
  rfc("chunks as they should be", take(["Transfer-Encoding: chunked"], chunked), "200 closes", "m"),
  rfc("chunks in upper case", take(["Transfer-Encoding: CHUNKED"], chunked), "200 closes", "m"),
  rfc("chunks in mixed case", take(["tRANSFER-eNCODING: cHuNkEd"], chunked), "200 closes", "m"),
  rfc("chunks without a blank before", take(["Transfer-Encoding:chunked"], chunked), "200 closes", "m"),
  probe("chunks with a tab before", take(["Transfer-Encoding:\tchunked"], chunked), "200 closes", "m"),
  probe("chunks with blanks behind", take(["Transfer-Encoding: chunked \t "], chunked), "200 closes", "m"),
  probe("chunks, and a request behind", coding("chunked"), "closes"),
  ...others.map((value) => rfc(`the coding ${JSON.stringify(value)}`, coding(value), refused)),
  ours("an empty coding", take(["Transfer-Encoding:"]), refused),
  ours("an empty coding, then chunks", take(["Transfer-Encoding:", "Transfer-Encoding: chunked"]), refused),
  ours("chunks, then an empty coding", take(["Transfer-Encoding: chunked", "Transfer-Encoding:"]), refused),
  garden("chunks twice", take(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]), refused),
  garden("chunks, then identity", take(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]), refused),
  garden("identity, then chunks", take(["Transfer-Encoding: identity", "Transfer-Encoding: chunked"]), refused),
  garden(
    "GET with chunks twice",
    head("GET /mark/a", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    refused
  ),
  probe("chunks with a blank before the colon", take(["Transfer-Encoding : chunked"]), refused),
  probe("chunks of a name with an underscore", take(["Transfer_Encoding: chunked"]), "411 closes"),
  probe("chunks on a folded line", take(["Transfer-Encoding:", " chunked"]), refused),
  probe("chunks on a line folded by a tab", take(["Transfer-Encoding:", "\tchunked"]), refused),
  probe("chunks behind a vertical tab", coding("\vchunked"), refused),
  probe("chunks behind a form feed", coding("\fchunked"), refused),
  probe("chunks with a NUL", coding("chunked\0"), refused),
  garden("chunks on a line that a bare line feed begins", take(["X: x\nTransfer-Encoding: chunked"]), refused),
  garden(
    "chunks on a line that a bare carriage return begins",
    take(["X: x\rTransfer-Encoding: chunked"], ""),
    "waits"
  ),
  rfc("GET with chunks", head("GET /mark/a", ["Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`), "411 closes"),
  rfc("HEAD with chunks", head("HEAD /mark/a", ["Transfer-Encoding: chunked"], "0\r\n\r\n"), "411 closes"),
  rfc("DELETE with chunks", head("DELETE /mark/a", ["Transfer-Encoding: chunked"], "0\r\n\r\n"), "200 closes", "a"),
  rfc(
    "DELETE with chunks, and a request behind",
    head("DELETE /mark/a", ["Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    "closes"
  ),
  rfc(
    "OPTIONS with chunks, and a request behind",
    head("OPTIONS /take", ["Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    "closes"
  ),
  rfc(
    "a POST that takes no body, with chunks",
    head("POST /act/a", ["Transfer-Encoding: chunked"], chunked),
    "200 closes",
    "a"
  ),
  rfc("an unknown path with chunks", head("POST /nowhere", ["Transfer-Encoding: chunked"], chunked), "404 closes"),
  rfc(
    "an unknown path with chunks, and a request behind",
    head("POST /nowhere", ["Transfer-Encoding: chunked"], chunked + smuggled),
    "closes"
  ),
  rfc(
    "a method that the path has not, with chunks",
    head("PUT /take", ["Transfer-Encoding: chunked"], chunked),
    "405 closes"
  ),
  ours("chunks under an unknown method", head("FROB /take", ["Transfer-Encoding: chunked"], chunked), "405 closes"),
  ours(
    "chunks in HTTP/1.0",
    `POST /take HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}${smuggled}`,
    "505 closes"
  ),
  ours(
    "chunks named by Connection",
    take(["Connection: transfer-encoding", "Transfer-Encoding: chunked"], chunked),
    "200 closes",
    "m"
  ),
  ours("chunks as trailers' name", take(["TE: chunked", "Content-Length: 12"], body), "200 stays", "m")
]
