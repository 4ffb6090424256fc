/** When browsers are told to come over https only, and for which hosts. */
import { expect, it } from "vitest"
import { transportSecurityOf } from "../../../http/pipeline/transport-security.ts"

it("Strict-Transport-Security holds for a year, for the host of the public address or for its subdomains too", () => {
  const at = (hsts: "host" | "subdomains") => transportSecurityOf({ publicUrl: "https://hub.test", hsts })
  expect(at("host")).toEqual([["strict-transport-security", "max-age=31536000"]])
  expect(at("subdomains")).toEqual([["strict-transport-security", "max-age=31536000; includeSubDomains"]])
})

it("Strict-Transport-Security is not said where people come without TLS, where no address is set, or where the operator says so", () => {
  expect(transportSecurityOf({ publicUrl: "http://hub.test", hsts: "subdomains" })).toEqual([])
  expect(transportSecurityOf({ publicUrl: undefined, hsts: "host" })).toEqual([])
  expect(transportSecurityOf({ publicUrl: "https://hub.test", hsts: "off" })).toEqual([])
})
