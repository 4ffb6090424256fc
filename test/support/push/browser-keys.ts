/** What a browser and its push service do with a push message: decrypt it, and check who sends. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto"

export interface Browser {
  readonly privateKey: string
  readonly p256dh: string
  readonly auth: string
}

export const makeBrowser = (): Browser => {
  const pair = createECDH("prime256v1")
  pair.generateKeys()
  return {
    privateKey: pair.getPrivateKey("base64url"),
    p256dh: pair.getPublicKey("base64url"),
    auth: randomBytes(16).toString("base64url")
  }
}

const expand = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length))

/** The text of a message (RFC 8291). Throws when it is for another browser, or was changed. */
export const decryptMessage = (body: Buffer, { privateKey, p256dh, auth }: Browser): string => {
  const salt = body.subarray(0, 16)
  const theirs = body.subarray(21, 21 + body[20]!)
  const sealed = body.subarray(21 + body[20]!)
  const pair = createECDH("prime256v1")
  pair.setPrivateKey(privateKey, "base64url")
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), Buffer.from(p256dh, "base64url"), theirs])
  const secret = expand(pair.computeSecret(theirs), Buffer.from(auth, "base64url"), info, 32)
  const key = expand(secret, salt, "Content-Encoding: aes128gcm\0", 16)
  const opening = createDecipheriv("aes-128-gcm", key, expand(secret, salt, "Content-Encoding: nonce\0", 12))
  opening.setAuthTag(sealed.subarray(-16))
  const plain = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()])
  return plain.subarray(0, plain.lastIndexOf(2)).toString()
}

/** The claims of an `authorization` (RFC 8292) and its public key; undefined: its signature is not of that key. */
export const readVapid = (authorization: string) => {
  const [, token, k = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/u.exec(authorization) ?? []
  const [head = "", claims = "", signature = ""] = (token ?? "").split(".")
  const point = Buffer.from(k, "base64url")
  const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")]
  const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } })
  const good = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url")
  )
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())
  return good ? { k, header: read(head), claims: read(claims) } : undefined
}
