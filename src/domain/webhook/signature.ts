/**
 * The two signatures of a delivery: `X-Service-Signature` of the specification, and the Standard Webhooks headers. Owns
 * both forms and the form of a secret; keeps no secret.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto"

const secretPrefix = "whsec_"
const secretBytes = 32

/** The secret of 32 bytes: `whsec_` and the bytes in standard base64. */
export const secretOf = (bytes: Uint8Array): string => `${secretPrefix}${Buffer.from(bytes).toString("base64")}`

/** A new, random secret. */
export const makeSecret = (): string => secretOf(randomBytes(secretBytes))

/** A secret as both forms key it, prepared once: as its text, and as the bytes it encodes. */
export interface SigningKey {
  readonly text: KeyObject
  readonly bytes: KeyObject
}

/** Prepares a secret for signing. */
export const signingKey = (secret: string): SigningKey => ({
  text: createSecretKey(secret, "utf8"),
  bytes: createSecretKey(secret.slice(secretPrefix.length), "base64")
})

/** Where a webhook is, and what signs for it. */
export interface Endpoint {
  readonly url: string
  readonly key: SigningKey
  readonly oldKey: SigningKey | undefined
  readonly oldKeyUntil: number
}

/** The keys that sign now: the new one, and beside it the old one while it overlaps. */
export const signingKeys = ({ key, oldKey, oldKeyUntil }: Endpoint, now: number): ReadonlyArray<SigningKey> =>
  oldKey !== undefined && now < oldKeyUntil ? [key, oldKey] : [key]

/**
 * `X-Service-Signature`: keyed by the whole secret as UTF-8, over `<t>.<body>`; one `v1` for each key, newest first.
 */
export const serviceSignature = (keys: ReadonlyArray<SigningKey>, t: number, body: string): string => {
  let header = `t=${t}`
  for (const key of keys) {
    const digest = createHmac("sha256", key.text).update(`${t}.${body}`).digest("hex")
    header += `,v1=${digest}`
  }
  return header
}

/**
 * `webhook-signature`: keyed by the decoded bytes, over `<id>.<seconds>.<body>`; one `v1` for each key, newest first.
 */
const standardSignature = (keys: ReadonlyArray<SigningKey>, id: string, seconds: number, body: string): string =>
  keys
    .map((key) => `v1,${createHmac("sha256", key.bytes).update(`${id}.${seconds}.${body}`).digest("base64")}`)
    .join(" ")

/** What is signed and sent. */
export interface SignedPayload {
  readonly deliveryId: string
  readonly event: string
  readonly attempt: number
  readonly body: string
}

/** Every header of one attempt; `now` is that attempt's own time. */
export const deliveryHeaders = (
  letter: SignedPayload,
  keys: ReadonlyArray<SigningKey>,
  now: number
): Record<string, string> => {
  const seconds = Math.floor(now / 1_000)
  return {
    "content-type": "application/json",
    "user-agent": "hub-webhooks/1",
    "x-service-event": letter.event,
    "x-service-signature": serviceSignature(keys, now, letter.body),
    "x-service-delivery": letter.deliveryId,
    "x-service-attempt": String(letter.attempt),
    "webhook-id": letter.deliveryId,
    "webhook-timestamp": String(seconds),
    "webhook-signature": standardSignature(keys, letter.deliveryId, seconds, letter.body)
  }
}
