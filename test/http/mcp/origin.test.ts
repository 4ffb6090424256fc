/** Which pages may call the MCP endpoint. */
import { describe, expect, it } from "vitest"
import { originRule } from "../../../http/mcp/origin.ts"

describe("the rule of origins", () => {
  const allows = originRule(["https://page.example.org"], "https://hub.example.org/base")

  it("lets programs in, which send no origin", () => expect(allows("", "hub.example.org")).toBe(true))

  it("lets in the pages that the operator names, and those of the public address", () => {
    expect(allows("https://page.example.org", "hub.example.org")).toBe(true)
    expect(allows("https://hub.example.org", "10.0.0.1:8080")).toBe(true)
    expect(allows("http://hub.example.org", "hub.example.org")).toBe(false)
  })

  it.each(["http://localhost:6274", "http://127.0.0.1:3000", "http://[::1]:3000"])(
    "lets in %s of this host",
    (origin) => {
      expect(allows(origin, "127.0.0.1:8080")).toBe(true)
      expect(allows(origin, "hub.example.org")).toBe(false)
    }
  )

  it("believes no name that the request itself gives the hub: it may have been made to mean this host", () => {
    expect(allows("http://evil.example.com:8080", "evil.example.com:8080")).toBe(false)
    expect(allows("http://evil.example.com", "localhost:8080")).toBe(false)
    expect(allows("null", "localhost:8080")).toBe(false)
    expect(allows("http://localhost.evil.example.com", "localhost:8080")).toBe(false)
  })
})
