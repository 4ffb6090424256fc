/** The registry's calls as a publisher makes them, over HTTP. Owns the requests and the words of refusals. */

/** Where and as whom. */
export interface Registry {
  readonly url: string
  readonly key: string | undefined
}

/** The hub refused, or could not be reached; the message is for the publisher. */
export class CallRefused extends Error {
  override readonly name = "CallRefused"
}

const waitMillisMax = 60_000
const root = "/api/v1/registry/providers"

interface Problem {
  readonly error?: string
  readonly reason?: string
  readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

const words = (status: number, problem: Problem): string => {
  const issues = (problem.issues ?? []).map(({ path, message }) => `${path}: ${message}`).join("; ")
  return [`${status} ${problem.reason ?? ""}`.trim(), problem.error ?? "", issues]
    .filter((part) => part !== "")
    .join(" · ")
}

const call = async (
  registry: Registry,
  method: string,
  path: string,
  body?: unknown
): Promise<Record<string, unknown>> => {
  let answer: Response
  try {
    answer = await fetch(`${registry.url}${root}${path}`, {
      method,
      headers: {
        ...(registry.key === undefined ? {} : { authorization: `Bearer ${registry.key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(waitMillisMax)
    })
  } catch (cause) {
    throw new CallRefused(`the hub at ${registry.url} cannot be reached`, { cause })
  }
  const value: unknown = await answer.json().catch(() => undefined)
  const known = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
  if (!answer.ok) throw new CallRefused(words(answer.status, known ?? {}))
  if (known === undefined) throw new CallRefused(`${registry.url} does not answer like a hub`)
  return known
}

const one = (type: string, version: string): string => `/${encodeURIComponent(type)}/${encodeURIComponent(version)}`
const through = (channel: string | undefined): string =>
  channel === undefined ? "" : `?channel=${encodeURIComponent(channel)}`

/** Publishes to preview. */
export const publish = (registry: Registry, publication: Record<string, unknown>) =>
  call(registry, "POST", "", { ...publication, channel: "preview" })

/** Makes a preview version stable. */
export const promote = (registry: Registry, type: string, version: string) =>
  call(registry, "POST", `${one(type, version)}/promote`, {})

/** Yanks a version in a channel. */
export const yank = (registry: Registry, type: string, version: string, channel: string | undefined) =>
  call(registry, "DELETE", `${one(type, version)}${through(channel)}`)

const listed = (registry: Registry, value: unknown): ReadonlyArray<Record<string, unknown>> => {
  if (!Array.isArray(value)) throw new CallRefused(`${registry.url} does not answer like a hub`)
  return value
}

/** The versions of a type, or with no type the newest of every one, page after page. */
export const list = async (
  registry: Registry,
  type: string | undefined,
  channel: string | undefined
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  if (type !== undefined) {
    const { versions } = await call(registry, "GET", `/${encodeURIComponent(type)}${through(channel)}`)
    return listed(registry, versions)
  }
  const found: Array<Record<string, unknown>> = []
  let cursor: unknown
  do {
    const query = new URLSearchParams({
      limit: "100",
      ...(channel === undefined ? {} : { channel }),
      ...(cursor === undefined ? {} : { cursor: String(cursor) })
    })
    const page = await call(registry, "GET", `?${query}`)
    found.push(...listed(registry, page["providers"]))
    cursor = page["nextCursor"]
  } while (cursor !== undefined)
  return found
}
