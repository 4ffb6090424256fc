/** Rows about heads: request line, names and values, and bodies without a declared framing. */
import { body, from, head, type Row, smuggled } from "./raw-request.ts"

const rfc = from("RFC 9112 2 to 5")
const probe = from("Http11Probe, heads")
const spec = from("h1spec, heads")
const garden = from("http-garden, heads")
const ours = from("review of the hub")

const get = (lines: ReadonlyArray<string>, behind = ""): string => head("GET /mark/a", lines, behind)
const line = (first: string): string => `${first}\r\nHost: h\r\n\r\n`
const refused = "400 closes"

/** Rows about heads. */
export const heads: ReadonlyArray<Row> = [
  rfc("a POST without a length", head("POST /take", []), "411 closes"),
  rfc("a POST without a length, and a body", head("POST /take", [], body), "411 closes"),
  rfc("a POST without a length, and a request", head("POST /take", [], smuggled), "411 closes"),
  rfc("a POST without a length or a body to take", head("POST /act/a", []), "200 closes", "a"),
  rfc("a POST without a length or a body to take, and a request", head("POST /act/a", [], smuggled), "closes"),
  rfc("a POST without a length or a need of a body", head("POST /may", []), "200 closes", "none"),
  rfc("a POST without a length or a need of a body, and a body", head("POST /may", [], body), "200 closes", "none"),
  rfc("a POST without a length or a need of a body, and a request", head("POST /may", [], smuggled), "closes"),
  ours(
    "an empty name and a POST that need not have a body",
    head("POST /may", [": x", "Content-Length: 40"], smuggled),
    "closes"
  ),
  rfc("a POST with a length of zero and no body to take", head("POST /act/a", ["Content-Length: 0"]), "200 stays", "a"),
  rfc("a PUT to nowhere without a length", head("PUT /nowhere", []), "404 closes"),
  rfc("a PATCH to nowhere without a length, and a request", head("PATCH /nowhere", [], smuggled), "closes"),
  rfc("a method nobody knows without a length, and a request", head("FROB /take", [], smuggled), "closes"),
  rfc("GET with a length and a body", get(["Content-Length: 40"], smuggled), "200 stays", "a"),
  rfc("HEAD with a length and a body", head("HEAD /mark/a", ["Content-Length: 40"], smuggled), "200 stays", "a"),
  rfc("DELETE with a length and a body", head("DELETE /mark/a", ["Content-Length: 40"], smuggled), "200 stays", "a"),
  rfc("OPTIONS with a length and a body", head("OPTIONS /take", ["Content-Length: 40"], smuggled), "405 stays"),
  rfc("GET with a length, half of the body", get(["Content-Length: 41"], smuggled), "200 waits", "a"),
  ours("an empty name before the length", head("POST /take", [": x", "Content-Length: 40"], smuggled), "411 closes"),
  ours(
    "an empty name before the coding",
    head("POST /take", [":", "Transfer-Encoding: chunked"], smuggled),
    "411 closes"
  ),
  ours("an empty name behind the length", head("POST /take", ["Content-Length: 12", ": x"], body), "200 stays", "m"),
  ours(
    "an empty name between two lengths",
    head("POST /take", ["Content-Length: 12", ": x", "Content-Length: 0"], body),
    "200 stays",
    "m"
  ),
  ours(
    "an empty name and a POST that takes no body",
    head("POST /act/a", [": x", "Content-Length: 40"], smuggled),
    "closes"
  ),
  ours("an empty name first", `POST /take HTTP/1.1\r\n: x\r\nHost: h\r\nContent-Length: 12\r\n\r\n${body}`, refused),
  probe("a line without a colon", get(["nothing"]), refused),
  probe("a blank before the colon", get(["X : x"]), refused),
  probe("a blank within a name", get(["X X: x"]), refused),
  spec("brackets within a name", get(["X[]: x"]), refused),
  probe("a name outside ASCII", get(["X\xe9: x"]), refused),
  garden("a NUL within a name", get(["X\0: x"]), refused),
  garden("a NUL within a value", get(["X: x\0x"]), refused),
  spec("a bell within a value", get(["X: x\x07"]), refused),
  spec("an empty value", get(["X:"]), "200 stays", "a"),
  spec("a value that tabs begin", get(["X:\t\tx"]), "200 stays", "a"),
  probe("a folded line", get(["X: x", " y"]), refused),
  probe("a line folded by a tab", get(["X: x", "\ty"]), refused),
  probe("a blank before the first line", "GET /mark/a HTTP/1.1\r\n X: x\r\nHost: h\r\n\r\n", refused),
  probe("bare line feeds", "GET /mark/a HTTP/1.1\nHost: h\n\n", "505 closes"),
  garden("a bare line feed behind a value", get(["X: x\nY: y"]), refused),
  garden("a bare line feed as the last line", "GET /mark/a HTTP/1.1\r\nHost: h\r\n\n", refused),
  spec("a carriage return before a name", get(["\rX: x"]), refused),
  garden("a bare carriage return within a value", get(["X: x\ry"]), "waits"),
  probe("bare carriage returns", "GET /mark/a HTTP/1.1\rHost: h\r\r", "505 closes"),
  probe("no host", "GET /mark/a HTTP/1.1\r\n\r\n", refused),
  spec("no host but a length", "GET /mark/a HTTP/1.1\r\nContent-Length: 5\r\n\r\n", refused),
  spec("two hosts", get(["Host: i"]), refused),
  probe("the same host twice", get(["Host: h"]), refused),
  probe("another version", line("GET /mark/a HTTP/1.2"), "505 closes"),
  spec("a version far ahead", line("GET /mark/a HTTP/9.9"), "505 closes"),
  probe("version 1.0", line("GET /mark/a HTTP/1.0"), "505 closes"),
  probe("a version in lower case", line("GET /mark/a http/1.1"), "505 closes"),
  probe("a version with zeros before", line("GET /mark/a HTTP/01.1"), "505 closes"),
  probe("a version without its end", line("GET /mark/a HTTP/1"), "505 closes"),
  garden("a version with more digits", line("GET /mark/a HTTP/1.10"), "505 closes"),
  spec("no version", "GET /mark/a \r\n\r\n", "505 closes"),
  probe("version 0.9", "GET /mark/a\r\n", "505 closes"),
  probe("two blanks before the version", line("GET /mark/a  HTTP/1.1"), "505 closes"),
  probe("two blanks before the target", line("GET  /mark/a HTTP/1.1"), "505 closes"),
  probe("a tab before the target", line("GET\t/mark/a HTTP/1.1"), "505 closes"),
  probe("a blank within the target", line("GET /mark/a b HTTP/1.1"), "505 closes"),
  probe("a NUL within the target", line("GET /mark/a\0 HTTP/1.1"), "505 closes"),
  probe("no target", line("GET HTTP/1.1"), "505 closes"),
  probe("an asterisk", line("OPTIONS * HTTP/1.1"), "505 closes"),
  probe("an absolute target", line("GET http://h/mark/a HTTP/1.1"), "505 closes"),
  probe("CONNECT", line("CONNECT h:80 HTTP/1.1"), "505 closes"),
  probe("TRACE", head("TRACE /mark/a", []), "405 stays"),
  probe("a method in lower case", head("get /mark/a", []), "405 closes"),
  spec("words before the method", line("Extra GET /mark/a HTTP/1.1"), "505 closes"),
  probe("an empty line before", `\r\n${get([])}`, "waits"),
  probe("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 closes"),
  probe("bytes of no protocol", "\x16\x03\x01\x00\xff /\xff\xfe\r\n\r\n", "505 closes"),
  spec("half of a method", "GE", "waits"),
  spec("half of a target", "GET /mar", "waits"),
  spec("half of a version", "GET /mark/a HTTP", "waits"),
  spec("half of a name", "GET /mark/a HTTP/1.1\r\nHos", "waits"),
  spec("half of a head", "GET /mark/a HTTP/1.1\r\nHost: h\r\n", "waits"),
  spec("all but the last byte of a head", "GET /mark/a HTTP/1.1\r\nHost: h\r\n\r", "waits"),
  probe("99 headers", get(Array.from({ length: 99 }, (_, at) => `X-${at}: x`)), "431 closes"),
  probe("a name of 20,000 bytes", get([`${"x".repeat(20_000)}: x`]), "431 closes"),
  probe("a value of 20,000 bytes", get([`X: ${"x".repeat(20_000)}`]), "431 closes"),
  probe("Expect", head("POST /take", ["Expect: 100-continue", "Content-Length: 12"], body), "100 200 stays", "m"),
  probe("Expect of something else", head("POST /take", ["Expect: tea", "Content-Length: 12"], body), "200 stays", "m"),
  probe(
    "Expect and chunks",
    head("POST /take", ["Expect: 100-continue", "Transfer-Encoding: chunked"], `c\r\n${body}\r\n0\r\n\r\n`),
    "100 200 closes",
    "m"
  ),
  probe("Connection: close", get(["Connection: close"]), "200 closes", "a"),
  probe(
    "Connection that names the length",
    head("POST /take", ["Connection: content-length", "Content-Length: 12"], body),
    "200 stays",
    "m"
  ),
  probe("an upgrade to HTTP/2 in the clear", get(["Connection: Upgrade", "Upgrade: h2c"]), "200 stays", "a"),
  probe(
    "an upgrade with a body",
    get(["Connection: Upgrade", "Upgrade: websocket", "Content-Length: 40"], smuggled),
    "200 stays",
    "a"
  )
]
