/**
 * Checks the files of HUB_TLS_CERT and HUB_TLS_KEY before the start, because the library reports only that it failed.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { Data, Effect } from "effect"
import { fileFault } from "../runtime/file-fault.ts"

/** TLS cannot be served with these files. */
class TlsUnusable extends Data.TaggedError("TlsUnusable")<{ readonly sentence: string }> {}

const refuse = (sentence: string): never => {
  throw new TlsUnusable({ sentence })
}

const read = <A>(setting: string, file: string, kind: string, parse: (pem: Buffer) => A): A => {
  let pem: Buffer
  try {
    pem = readFileSync(file)
  } catch (fault) {
    return refuse(fileFault(`${file} (${setting})`, fault))
  }
  try {
    return parse(pem)
  } catch {
    return refuse(`${file} (${setting}) does not hold ${kind} in PEM form`)
  }
}

/** Fails with a sentence that names the file. */
export const checkTls = (files: {
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
}): Effect.Effect<void, TlsUnusable> =>
  Effect.try({
    try: () => {
      const { tlsCert, tlsKey } = files
      if (tlsCert === undefined || tlsKey === undefined) return
      const certificate = read("HUB_TLS_CERT", tlsCert, "a certificate", (pem) => new X509Certificate(pem))
      const key: KeyObject = read("HUB_TLS_KEY", tlsKey, "a private key without a password", createPrivateKey)
      if (!certificate.checkPrivateKey(key))
        refuse(`${tlsKey} (HUB_TLS_KEY) is not the key of the certificate in ${tlsCert} (HUB_TLS_CERT)`)
    },
    catch: (fault) => fault as TlsUnusable
  })
