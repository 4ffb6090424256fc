/** Secrets for tests of redaction: shapes of vendors' tokens (made up, never issued) and ways they are written down. */
import { fc } from "./properties.ts"

const run = (length: number) => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA".repeat(8).slice(0, length)

/** One token of each kind. Put together here, so that no scanner takes this file for a leak. */
export const tokens: ReadonlyArray<string> = [
  ["gh", "p_", run(36)],
  ["github", "_pat_", run(60)],
  ["gl", "pat-", run(20)],
  ["xo", "xb-", "1234567890-", run(24)],
  ["AK", "IA", "ABCDEFGHIJKLMNOP"],
  ["AI", "za", run(35)],
  ["np", "m_", run(36)],
  ["sk", "-", run(48)],
  ["sk", "-ant-", run(60)],
  ["sk", "_live_", run(24)],
  ["wh", "sec_", run(32)],
  ["h", "f_", run(34)],
  ["S", "G.", run(22), ".", run(43)],
  ["ey", "J", run(20), ".", run(40), ".", run(43)],
  ["hub", "_", run(36)],
  ["hub", "d_", run(36)],
  ["12345678", "90:AA", run(33)],
  ["hooks.slack", ".com/services/T0AAAAAAA/B0BBBBBBB/", run(24)],
  ["discord", ".com/api/webhooks/1234567890/", run(60)]
].map((parts) => parts.join(""))

const chars = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789_"

/** A secret without a shape of its own. */
export const secret = fc
  .array(fc.constantFrom(...chars), { minLength: 12, maxLength: 40 })
  .map((letters) => `zQ${letters.join("")}`)

/** A name that says what it holds. */
export const secretName = fc.constantFrom(
  "password",
  "apiKey",
  "api_key",
  "ACCESS_TOKEN",
  "clientSecret",
  "x-auth-token",
  "privateKey",
  "Authorization",
  "session_cookie",
  "credentials"
)

/** A secret as it stands in a text. */
export const planted = fc
  .tuple(secretName, secret, fc.constantFrom(...tokens), fc.nat(9))
  .map(([name, value, token, form]) => {
    const written: ReadonlyArray<readonly [text: string, secret: string]> = [
      [`${name}=${value}`, value],
      [`${name}: ${value}`, value],
      [JSON.stringify({ [name]: value }), value],
      [JSON.stringify(JSON.stringify({ [name]: value })), value],
      [`https://h.example/p?${name}=${value}&x=1`, value],
      [`Bearer ${value}`, value],
      [`-----BEGIN PRIVATE KEY-----\n${value}\n-----END PRIVATE KEY-----`, value],
      [`--${name} ${value}`, value],
      [`https://me:${value}@h.example/`, value],
      [token, token.slice(8)]
    ]
    const [text, hidden] = written[form]!
    return { text, secret: hidden }
  })
