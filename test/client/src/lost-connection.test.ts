/** Why no answer came, in the client's words: never empty, and with the address. */
import { expect, it } from "vitest"
import { whyLost } from "../../../client/src/lost-connection.ts"

const coded = (code: string, message = code) => Object.assign(new Error(message), { code })
const fetched = (cause: unknown) => new TypeError("fetch failed", { cause })
const several = (...errors: ReadonlyArray<Error>) => new AggregateError(errors, "")

it.each([
  ["a port without a hub", "http://h", fetched(coded("ECONNREFUSED")), "refused the connection (ECONNREFUSED)"],
  [
    "each address of a name without a hub",
    "http://h",
    fetched(several(coded("ECONNREFUSED"), coded("ECONNREFUSED"))),
    "refused the connection (ECONNREFUSED)"
  ],
  [
    "addresses that fail differently",
    "http://h",
    several(coded("ENETUNREACH", "connect ENETUNREACH ::1"), coded("ETIMEDOUT", "connect ETIMEDOUT 192.0.2.1")),
    "gave no answer: connect ENETUNREACH ::1; connect ETIMEDOUT 192.0.2.1"
  ],
  [
    "http where https is asked",
    "https://h",
    coded("EPROTO", "SSL wrong version number"),
    "speaks http, not https (EPROTO)"
  ],
  [
    "https where http is asked",
    "http://h",
    fetched(coded("ECONNRESET")),
    "ended the connection without an answer; is it https there? (ECONNRESET)"
  ],
  [
    "an issuer of a company's own",
    "https://h",
    fetched(coded("SELF_SIGNED_CERT_IN_CHAIN")),
    "has a certificate of an issuer that this machine does not know; NODE_EXTRA_CA_CERTS names a file with the issuer's (SELF_SIGNED_CERT_IN_CHAIN)"
  ],
  ["an error without a word", "http://h", new Error(""), "gave no answer: Error"],
  ["no error at all", "http://h", undefined, "gave no answer: undefined"]
])("a call without an answer is explained: %s", (_, origin, error, words) =>
  expect(whyLost(origin, error)).toBe(`${origin} ${words}`)
)
