/**
 * The examples of the document, each of which a hub answered. test/http/reference/examples.db.test.ts takes them from
 * a running hub and writes examples.json (`vitest -u`); a file that differs from the answers fails there.
 */
import recorded from "./examples.json" with { type: "json" }

/** Examples by operation, failure and event. */
export interface Examples {
  readonly operations: Readonly<
    Record<
      string,
      {
        /** The path and query that were called. */
        readonly path?: string
        readonly request?: unknown
        readonly responses?: Readonly<Record<string, unknown>>
      }
    >
  >
  readonly problems: Readonly<Record<string, unknown>>
  readonly events: Readonly<Record<string, unknown>>
}

export const examples: Examples = recorded
