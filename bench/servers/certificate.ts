/** A throwaway certificate for 127.0.0.1, signed by itself. Owns its files. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { reasonOf, UsageError } from "../usage-error.ts"
import { removeFolder, scratchFolder } from "./child-process.ts"

const run = promisify(execFile)
const daysGood = 2

/** A certificate and its key. */
export interface Certificate {
  readonly certFile: string
  readonly keyFile: string
  /** The certificate itself. */
  readonly pem: string
  readonly stop: () => void
}

/** Makes one. */
export const makeCertificate = async (): Promise<Certificate> => {
  const folder = scratchFolder("hub-bench-tls-")
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
  const words = ["req", "-x509", ...key, "-days", String(daysGood), ...subject, "-out", certFile]
  try {
    await run("openssl", words)
  } catch (error) {
    removeFolder(folder)
    throw new UsageError(`TLS needs a certificate, which openssl makes (apt-get install openssl): ${reasonOf(error)}`)
  }
  return { certFile, keyFile, pem: await readFile(certFile, "utf8"), stop: () => removeFolder(folder) }
}
