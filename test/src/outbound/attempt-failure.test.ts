/** The words for what a connection failed of. */
import { describe, expect, it } from "vitest"
import { attemptDetail, attemptError } from "../../../src/outbound/attempt-failure.ts"

const failure = (code: string) => Object.assign(new Error("an address: 10.0.0.1"), { code })
const wordsOf = (error: unknown) => [attemptError(error), attemptDetail(error)]

describe("a failure to connect", () => {
  it.each([
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls", "unknown issuer"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls", "unknown issuer"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls", "unknown issuer"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls", "unknown issuer"],
    ["CERT_HAS_EXPIRED", "tls", "certificate expired"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls", "certificate of another name"],
    ["ECONNREFUSED", "connect", "refused"],
    ["ENETUNREACH", "connect", "unreachable"],
    ["ETIMEDOUT", "timeout", ""],
    ["ENOTFOUND", "dns", ""],
    ["ESOMETHING", "connect", ""]
  ])("with %s is %s, %j", (code, error, detail) => expect(wordsOf(failure(code))).toEqual([error, detail]))

  it("at several addresses of a name is said of each", () => {
    const both = new AggregateError([failure("ETIMEDOUT"), failure("ENETUNREACH")])
    expect(wordsOf(both)).toEqual(["timeout", "timeout, unreachable"])
    expect(wordsOf(new AggregateError([failure("ECONNREFUSED"), failure("ECONNREFUSED")]))).toEqual([
      "connect",
      "refused"
    ])
  })
})
