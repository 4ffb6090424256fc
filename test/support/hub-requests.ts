/** Requests to a hub under test. Owns the headers of each kind of credential and the reading of answers. */

/** One request. At most one of `key`, `session` and `token` is sent, as the bearer. */
export interface HubRequest {
  readonly key?: string
  readonly session?: string
  readonly token?: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** One answer. */
export interface HubAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A sender of requests to wherever the hub is. */
export const requester =
  (url: () => string) =>
  async (method: string, path: string, options: HubRequest = {}): Promise<HubAnswer> => {
    const bearer = options.key ?? options.session ?? options.token
    const text = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const answer = await fetch(url() + path, {
      method,
      redirect: "manual",
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers
      },
      ...(text === undefined ? {} : { body: text }),
      ...(options.signal === undefined ? {} : { signal: options.signal })
    })
    const received = await answer.text()
    return { status: answer.status, headers: answer.headers, text: received, body: parsed(received) }
  }
