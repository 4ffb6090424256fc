/** Adds to a failure which server it concerns: an address, never its password. Owns the words. */
import { StoreFailed } from "../../errors.ts"

/** `host:port/database` of an address; what cannot be read as one is not shown. */
export const serverOf = (databaseUrl: string): string => {
  try {
    const { hostname, port, pathname, searchParams } = new URL(databaseUrl)
    const host = hostname || searchParams.get("host") || "localhost"
    return `${host}:${port || "5432"}${pathname}`
  } catch {
    return "the address given"
  }
}

/** The failure with the server of DATABASE_URL in its words. */
export const atServer =
  (databaseUrl: string) =>
  (failure: StoreFailed): StoreFailed =>
    new StoreFailed({
      operation: `${failure.operation} (DATABASE_URL: ${serverOf(databaseUrl)})`,
      cause: failure.cause
    })
