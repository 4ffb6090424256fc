/**
 * Verifies webhooks as they arrive, by either of the two signatures that the hub sends. Owns the tolerance of clocks;
 * deduplicates nothing (do so by `deliveryId`).
 */
import type { components } from "./generated/contract.ts"

type Schemas = components["schemas"]

/** The body of a delivery, to be told apart by `event`. */
export type WebhookEvent = Schemas["StreamedEvent"] | Schemas["WebhookTestEvent"]

/** A delivery that the hub has signed. */
export interface Verified {
  /** The same in all attempts: deduplicate by it. */
  readonly deliveryId: string
  /** 1 to 4; undefined where only the Standard Webhooks headers are given. */
  readonly attempt: number | undefined
  readonly event: WebhookEvent
}

/** What a delivery is checked with. */
export interface VerifyInput {
  /** The raw body, as it arrived, not parsed. */
  readonly body: string | Uint8Array
  /** The headers: a `Headers`, or an object with names in lower case as Node gives them. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The webhook's secret as it was shown (`whsec_…`); several during a rotation. */
  readonly secret: string | ReadonlyArray<string>
  /** How far the signature's time may be from this clock, in milliseconds; five minutes when left out. */
  readonly toleranceMillis?: number
  /** The time, in epoch milliseconds. */
  readonly now?: number
}

/** The delivery is not one of the hub's, or too old. */
export class WebhookRefused extends Error {
  readonly _tag = "WebhookRefused"
  override readonly name = "WebhookRefused"
}

const toleranceUsualMillis = 300_000
const prefix = "whsec_"
/** More signatures than any rotation has are not looked at. */
const signaturesMax = 8

const headerOf = ({ headers }: VerifyInput, name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = headers[name]
  return typeof value === "string" ? value : value?.[0]
}

const bytesOf = (text: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof text === "string" ? new TextEncoder().encode(text) : new Uint8Array(text)

const joined = (head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const first = bytesOf(head)
  const second = bytesOf(body)
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

const fromHex = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  /^[0-9a-f]{64}$/u.test(text) ? Uint8Array.from(text.match(/../gu)!, (pair) => Number.parseInt(pair, 16)) : undefined

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** One signature scheme's view of a delivery. */
interface Claim {
  readonly millis: number
  readonly signed: Uint8Array<ArrayBuffer>
  readonly signatures: ReadonlyArray<Uint8Array<ArrayBuffer>>
  readonly keyOf: (secret: string) => Uint8Array<ArrayBuffer> | undefined
}

const isSignature = (one: Uint8Array<ArrayBuffer> | undefined): one is Uint8Array<ArrayBuffer> => one !== undefined

const ownClaim = (input: VerifyInput): Claim | undefined => {
  const header = headerOf(input, "x-service-signature")
  if (header === undefined) return undefined
  const parts = header.split(",", signaturesMax).map((part) => part.trim().split("=", 2) as [string, string?])
  const t = parts.find(([name]) => name === "t")?.[1] ?? ""
  return {
    millis: /^\d{1,15}$/u.test(t) ? Number(t) : Number.NaN,
    signed: joined(`${t}.`, input.body),
    signatures: parts.flatMap(([name, value]) => (name === "v1" ? [fromHex(value ?? "")] : [])).filter(isSignature),
    keyOf: bytesOf
  }
}

const standardClaim = (input: VerifyInput): Claim | undefined => {
  const id = headerOf(input, "webhook-id")
  const header = headerOf(input, "webhook-signature")
  const timestamp = headerOf(input, "webhook-timestamp") ?? ""
  if (id === undefined || header === undefined) return undefined
  const parts = header.split(" ", signaturesMax)
  return {
    millis: /^\d{1,12}$/u.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN,
    signed: joined(`${id}.${timestamp}.`, input.body),
    signatures: parts
      .flatMap((part) => (part.startsWith("v1,") ? [fromBase64(part.slice("v1,".length))] : []))
      .filter(isSignature),
    keyOf: (secret) => fromBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret)
  }
}

const isSigned = async ({ signed, signatures, keyOf }: Claim, secret: string): Promise<boolean> => {
  const bytes = keyOf(secret)
  if (bytes === undefined || bytes.length === 0) return false
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
  // compares in constant time
  const each = await Promise.all(signatures.map((one) => crypto.subtle.verify("HMAC", key, one, signed)))
  return each.includes(true)
}

const isAnySigned = async (claim: Claim, secrets: ReadonlyArray<string>): Promise<boolean> => {
  const each = await Promise.all(secrets.map((secret) => isSigned(claim, secret)))
  return each.includes(true)
}

const attemptOf = (input: VerifyInput): number | undefined => {
  const text = headerOf(input, "x-service-attempt")
  return text !== undefined && /^\d{1,2}$/u.test(text) ? Number(text) : undefined
}

/** Verifies a delivery and reads it. Throws `WebhookRefused` where it is not the hub's, is too old, or is no event. */
const verify = async (input: VerifyInput): Promise<Verified> => {
  // the standard one signs the delivery's id too
  const standard = standardClaim(input)
  const claim = standard ?? ownClaim(input)
  if (claim === undefined) throw new WebhookRefused("the request has no signature of a hub")
  const away = Math.abs((input.now ?? Date.now()) - claim.millis)
  if (!(away <= (input.toleranceMillis ?? toleranceUsualMillis))) {
    throw new WebhookRefused("the signature's time is missing or too far from this clock")
  }
  const secrets = typeof input.secret === "string" ? [input.secret] : input.secret
  if (!(await isAnySigned(claim, secrets))) throw new WebhookRefused("no signature fits the secret and the raw body")
  const deliveryId = headerOf(input, standard === undefined ? "x-service-delivery" : "webhook-id")
  if (deliveryId === undefined) throw new WebhookRefused("the request names no delivery")
  let event: unknown
  try {
    event = JSON.parse(typeof input.body === "string" ? input.body : new TextDecoder().decode(input.body))
  } catch {
    throw new WebhookRefused("the body is no JSON")
  }
  return { deliveryId, attempt: attemptOf(input), event: event as WebhookEvent }
}

/** Webhooks as they arrive. */
export const webhooks = { verify }
