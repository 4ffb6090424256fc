/**
 * A fingerprint by which a command line and a hub know whether they mean the same database. Owns it; reveals no
 * address.
 */
import { hash } from "node:crypto"

/** The fingerprint of a database: the hash of its URL, or `embedded`. */
export const databaseFingerprint = (databaseUrl: string | undefined): string =>
  databaseUrl === undefined ? "embedded" : hash("sha256", databaseUrl, "hex").slice(0, 16)
