/** A call to a hub as the bench makes it: JSON in, JSON out. Owns the shapes; makes no call. */

/** What an answer holds: the bench reads what it knows to be there, and fails loudly where it is not. */
export interface Json extends Record<string, string | undefined> {
  readonly accountId: string
  readonly daemonId: string
  readonly key: string
  readonly token: string
}

/** Makes one call, with a bearer or without one. */
export type JsonCall = (
  method: string,
  path: string,
  bearer: string | undefined,
  body?: unknown
) => Promise<{ status: number; body: Json }>
