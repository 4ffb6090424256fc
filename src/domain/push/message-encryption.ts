/**
 * The encryption of a push message for one browser (RFC 8291, in one record of `aes128gcm`, RFC 8188). Owns its form
 * and which keys of a browser it takes. Pure; sends nothing.
 */
import { createCipheriv, createECDH, ECDH, hkdfSync, randomBytes } from "node:crypto"
import { pushPlainBytesMax, pushRecordBytes } from "../../limits/push.ts"

const curve = "prime256v1"
const publicKeyLength = 65
const authLength = 16
const saltLength = 16

/** What a browser gives a subscription: its public key (P-256, uncompressed) and its secret, in base64url. */
export interface BrowserKeys {
  readonly p256dh: string
  readonly auth: string
}

/** What is new for each message. A test gives that of the RFC. */
export interface MessageKeys {
  readonly privateKey: Uint8Array
  readonly salt: Uint8Array
}

const bytes = (text: string): Buffer => Buffer.from(text, "base64url")
const expand = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array | string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length))

/** Whether a message can be encrypted for these: a point of the curve, and a secret of 16 bytes. */
export const areBrowserKeys = ({ p256dh, auth }: BrowserKeys): boolean => {
  const key = bytes(p256dh)
  if (key.length !== publicKeyLength || key[0] !== 4 || bytes(auth).length !== authLength) return false
  try {
    ECDH.convertKey(key, curve)
    return true
  } catch {
    return false
  }
}

const newKeys = (): MessageKeys => {
  const pair = createECDH(curve)
  pair.generateKeys()
  return { privateKey: pair.getPrivateKey(), salt: randomBytes(saltLength) }
}

/** The body for a push service. Throws for keys that are none (`areBrowserKeys`), and where the text is too long. */
export const encryptMessage = (text: string, to: BrowserKeys, { privateKey, salt } = newKeys()): Buffer => {
  const plain = Buffer.from(text)
  if (plain.length > pushPlainBytesMax) throw new RangeError("the text of a push message is too long")
  const pair = createECDH(curve)
  pair.setPrivateKey(privateKey)
  const own = pair.getPublicKey()
  const theirs = bytes(to.p256dh)
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, own])
  const secret = expand(pair.computeSecret(theirs), bytes(to.auth), info, 32)
  const key = expand(secret, salt, "Content-Encoding: aes128gcm\0", 16)
  const nonce = expand(secret, salt, "Content-Encoding: nonce\0", 12)
  const cipher = createCipheriv("aes-128-gcm", key, nonce)
  // 2 ends the text of the last record
  const sealed = Buffer.concat([cipher.update(plain), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(pushRecordBytes)
  return Buffer.concat([salt, size, Buffer.of(own.length), own, sealed])
}
