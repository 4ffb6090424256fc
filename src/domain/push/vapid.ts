/**
 * Who sends a push message, shown to its push service (VAPID, RFC 8292): a token of ES256 for the origin of the
 * service. Owns the header and the form of the key pair; keeps neither.
 */
import { createECDH, createPrivateKey, type KeyObject, sign } from "node:crypto"
import { vapidSecondsMax } from "../../limits/push.ts"

const curve = "prime256v1"

/** A key pair: the private number, and the public point as browsers take it (uncompressed), in base64url. */
export interface VapidPair {
  readonly privateKey: string
  readonly publicKey: string
}

/** A new, random pair. */
export const makeVapidPair = (): VapidPair => {
  const pair = createECDH(curve)
  pair.generateKeys()
  return { privateKey: pair.getPrivateKey().toString("base64url"), publicKey: pair.getPublicKey("base64url") }
}

/** A pair as it signs, prepared once. */
export interface VapidSigner {
  readonly publicKey: string
  readonly key: KeyObject
}

/** Prepares a pair for signing. */
export const vapidSigner = ({ privateKey, publicKey }: VapidPair): VapidSigner => {
  const point = Buffer.from(publicKey, "base64url")
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")]
  // a private number may begin with zeros, which OpenSSL leaves out
  const d = Buffer.concat([Buffer.alloc(32), Buffer.from(privateKey, "base64url")])
    .subarray(-32)
    .toString("base64url")
  return { publicKey, key: createPrivateKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y, d } }) }
}

const json = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The `authorization` for a push service. `subject`: an https or mailto address of who runs the hub; `now` in ms. */
export const vapidAuthorization = (
  { key, publicKey }: VapidSigner,
  endpoint: string,
  subject: string,
  now: number
): string => {
  const exp = Math.floor(now / 1_000) + vapidSecondsMax
  const said = `${json({ typ: "JWT", alg: "ES256" })}.${json({ aud: new URL(endpoint).origin, exp, sub: subject })}`
  const signature = sign("sha256", Buffer.from(said), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")
  return `vapid t=${said}.${signature}, k=${publicKey}`
}
