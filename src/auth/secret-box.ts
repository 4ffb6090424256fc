/**
 * Encrypts secrets at rest: AES-256-GCM under HUB_SECRET_KEY. The key's id and the secret's owner are authenticated
 * with it. Derives secrets that need no row. Owns the sealed form `v1.<key id>.<nonce>.<ciphertext and tag>`; stores
 * nothing and logs no secret.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { keysOf } from "../config/secret-keys.ts"
import { Config } from "../config.ts"
import { StoreFailed } from "../errors.ts"

const version = "v1"
const cipherName = "aes-256-gcm"
const nonceLength = 12
const tagLength = 16
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** Seals with one key, opens with each. `belongs` names the row a secret is for: the secret opens for no other. */
export interface Seal {
  /** The fingerprint of the key that seals. */
  readonly keyId: string
  /** Those of all keys, that one first. */
  readonly keyIds: ReadonlyArray<string>
  readonly seal: (secret: string, belongs: string) => string
  /** Throws when the text was not sealed for this owner under one of the keys. */
  readonly open: (text: string, belongs: string) => string
  /** 32 bytes that are always the same for an owner and a purpose, and tell nothing of the key (HKDF, RFC 5869). */
  readonly derive: (purpose: string, belongs: string) => Uint8Array
}

const derivedLength = 32

const keyIdOf = (key: Uint8Array): string =>
  hash("sha256", Buffer.concat([Buffer.from("hub seal key id"), key]), "hex").slice(0, 8)

const bound = (keyId: string, belongs: string): Buffer => Buffer.from(`${version}.${keyId}.${belongs}`)

/** Under which key a text is sealed; undefined where it is no sealed text. */
export const sealedUnder = (text: string): string | undefined => {
  const [textVersion, keyId] = text.split(".")
  return textVersion === version ? keyId : undefined
}

/** Makes a seal from keys of 32 bytes, one after another: the first seals, each opens. */
export const makeSeal = (secretKey: Uint8Array): Seal => {
  const [first, ...older] = keysOf(secretKey)
  const key = first!
  const keyId = keyIdOf(key)
  const keys = new Map([[keyId, key], ...older.map((one) => [keyIdOf(one), one] as const)])
  return {
    keyId,
    keyIds: [...keys.keys()],
    derive: (purpose, belongs) => new Uint8Array(hkdfSync("sha256", key, belongs, purpose, derivedLength)),
    seal: (secret, belongs) => {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(cipherName, key, nonce, { authTagLength: tagLength }).setAAD(bound(keyId, belongs))
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
      return `${version}.${keyId}.${base64(nonce)}.${base64(sealed)}`
    },
    open: (text, belongs) => {
      const [textVersion, textKeyId = "", nonce, sealed] = text.split(".")
      if (textVersion !== version || nonce === undefined || sealed === undefined) throw new Error("not a sealed secret")
      const opening = keys.get(textKeyId)
      if (opening === undefined)
        throw new Error(`sealed under key ${textKeyId}, HUB_SECRET_KEY is ${[...keys.keys()].join(", ")}`)
      const bytes = Buffer.from(sealed, "base64url")
      // base64url has several spellings of the same bytes: only the one that `seal` writes is accepted.
      if (bytes.length < tagLength || base64(bytes) !== sealed) throw new Error("not a sealed secret")
      const opener = createDecipheriv(cipherName, opening, Buffer.from(nonce, "base64url"), {
        authTagLength: tagLength
      })
      opener.setAAD(bound(textKeyId, belongs)).setAuthTag(bytes.subarray(-tagLength))
      return opener.update(bytes.subarray(0, -tagLength), undefined, "utf8") + opener.final("utf8")
    }
  }
}

/** Secrets at rest, sealed with HUB_SECRET_KEY. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    readonly seal: (secret: string, belongs: string) => string
    /** StoreFailed when a stored secret does not open: another HUB_SECRET_KEY, or a row that was moved or changed. */
    readonly open: (text: string, belongs: string) => Effect.Effect<string, StoreFailed>
    /** 32 bytes that are always the same for an owner and a purpose under one HUB_SECRET_KEY. */
    readonly derive: (purpose: string, belongs: string) => Uint8Array
  }
>()("hub/SecretBox") {
  static readonly layer = Layer.effect(
    SecretBox,
    Effect.map(Config, (settings) => {
      const seal = makeSeal(settings.secretKey)
      return SecretBox.of({
        seal: seal.seal,
        derive: seal.derive,
        open: (text, belongs) =>
          Effect.try({
            try: () => seal.open(text, belongs),
            catch: (cause) => new StoreFailed({ operation: "open a sealed secret", cause })
          })
      })
    })
  )
}
