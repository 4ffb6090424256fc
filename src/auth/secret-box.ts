/**
 * Secrets at rest: AES-256-GCM under HUB_SECRET_KEY, with the id of the key and what the secret belongs to bound in.
 * Owns the sealed form `v1.<key id>.<nonce>.<ciphertext and tag>`; never stores anything and never logs what it opens.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { Config } from "../config.ts"
import { StoreFailed } from "../errors.ts"

const version = "v1"
const cipherName = "aes-256-gcm"
const nonceLength = 12
const tagLength = 16
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

/** Seals with one key. `belongs` names the row a secret is for: it opens nowhere else. */
export interface Seal {
  readonly keyId: string
  readonly seal: (secret: string, belongs: string) => string
  /** Throws when the text was not sealed so, for this, under this key. */
  readonly open: (text: string, belongs: string) => string
}

/** A seal under a key of 32 bytes. */
export const makeSeal = (key: Uint8Array): Seal => {
  const keyId = hash("sha256", Buffer.concat([Buffer.from("hub seal key id"), key]), "hex").slice(0, 8)
  const bound = (belongs: string): Buffer => Buffer.from(`${version}.${keyId}.${belongs}`)
  return {
    keyId,
    seal: (secret, belongs) => {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(cipherName, key, nonce, { authTagLength: tagLength }).setAAD(bound(belongs))
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
      return `${version}.${keyId}.${base64(nonce)}.${base64(sealed)}`
    },
    open: (text, belongs) => {
      const [textVersion, textKeyId, nonce, sealed] = text.split(".")
      if (textVersion !== version || nonce === undefined || sealed === undefined) throw new Error("not a sealed secret")
      if (textKeyId !== keyId) throw new Error(`sealed under key ${textKeyId}, HUB_SECRET_KEY is ${keyId}`)
      const bytes = Buffer.from(sealed, "base64url")
      // One text for one secret: what only decodes to the same bytes was not made here.
      if (bytes.length < tagLength || base64(bytes) !== sealed) throw new Error("not a sealed secret")
      const opener = createDecipheriv(cipherName, key, Buffer.from(nonce, "base64url"), { authTagLength: tagLength })
      opener.setAAD(bound(belongs)).setAuthTag(bytes.subarray(-tagLength))
      return opener.update(bytes.subarray(0, -tagLength), undefined, "utf8") + opener.final("utf8")
    }
  }
}

/** Secrets at rest under the hub's own key. */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    readonly seal: (secret: string, belongs: string) => string
    /** StoreFailed when what is stored does not open: another HUB_SECRET_KEY, or a row moved or changed. */
    readonly open: (text: string, belongs: string) => Effect.Effect<string, StoreFailed>
  }
>()("hub/SecretBox") {
  static readonly layer = Layer.effect(
    SecretBox,
    Effect.map(Config, (settings) => {
      const seal = makeSeal(settings.secretKey)
      return SecretBox.of({
        seal: seal.seal,
        open: (text, belongs) =>
          Effect.try({
            try: () => seal.open(text, belongs),
            catch: (cause) => new StoreFailed({ operation: "open a sealed secret", cause })
          })
      })
    })
  )
}
