/**
 * HTTP Strict Transport Security (RFC 6797): whether a browser is told to come over https only, for a year. Owns the
 * header; the operator decides by HUB_PUBLIC_URL and HUB_HSTS.
 */
import type { Settings } from "../../src/config.ts"
import type { Headers } from "./response.ts"

const yearSeconds = 31_536_000

/** The header of every answer; none where callers see no https address, whose host may serve others without it. */
export const transportSecurityOf = ({ publicUrl, hsts }: Pick<Settings, "publicUrl" | "hsts">): Headers => {
  if (hsts === "off" || publicUrl === undefined || !/^https:/iu.test(publicUrl)) return []
  const value = `max-age=${yearSeconds}${hsts === "subdomains" ? "; includeSubDomains" : ""}`
  return [["strict-transport-security", value]]
}
