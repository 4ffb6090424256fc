/** What `hub doctor` says of OAuth, by the public address alone. */
import { expect, it } from "vitest"
import { judgeOAuth } from "../../../src/doctor/oauth.ts"

it.each([
  [undefined, "ok", "off, since"],
  ["http://hub.example.org", "ok", "off, since"],
  ["https://hub.example.org", "ok", "on: agents are let in to https://hub.example.org/mcp; programs may register"],
  ["https://hub.example.org:8443/", "warning", "port 443 only, and HUB_PUBLIC_URL says 8443"],
  ["https://localhost", "warning", "do not reach localhost"],
  ["https://hub.internal", "warning", "do not reach hub.internal"],
  ["https://10.0.0.1", "warning", "do not reach 10.0.0.1"],
  ["https://[fd00::1]", "warning", "do not reach [fd00::1]"]
] as const)("says of %s: %s, %s", (publicUrl, severity, found) => {
  const finding = judgeOAuth({ publicUrl, oauthRegistration: "open" })
  expect(finding).toMatchObject({ severity, found: expect.stringContaining(found) })
})
