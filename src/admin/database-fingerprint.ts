/**
 * A mark by which a command line and a hub know whether they mean the same database. Owns the mark; tells no address.
 */
import { hash } from "node:crypto"

/** The mark of a database: its address hashed, or the embedded one's. */
export const databaseMark = (databaseUrl: string | undefined): string =>
  databaseUrl === undefined ? "embedded" : hash("sha256", databaseUrl, "hex").slice(0, 16)
