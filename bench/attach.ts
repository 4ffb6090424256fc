/**
 * A hub that runs already, measured from outside: signed in with an account's e-mail address and password. Owns no
 * process: figures of CPU and memory need `pid`, on this machine.
 */
import type { BenchAccount, BenchHub, Json } from "./hub.ts"

/** Where the hub is and who measures. */
export interface Attachment {
  readonly url: string
  readonly email: string
  readonly password: string
  readonly pid?: number
}

const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec", "webhook:manage"]

/** Signs in and makes a key to measure with; it is revoked at the end by `stop`. */
export const attach = async ({ url, email, password, pid }: Attachment): Promise<BenchHub> => {
  const call: BenchHub["call"] = async (method, path, bearer, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return { status: answer.status, body: text === "" ? ({} as Json) : (JSON.parse(text) as Json) }
  }
  const login = await call("POST", "/api/v1/auth/login", undefined, { email, password })
  if (login.status !== 200) throw new Error(`login answered ${login.status}: ${JSON.stringify(login.body)}`)
  const session = login.body.token
  const made = await call("POST", "/api/v1/api-keys", session, { name: "bench", scopes })
  if (made.status !== 201) throw new Error(`key creation answered ${made.status}: ${JSON.stringify(made.body)}`)
  const owner: BenchAccount = { accountId: "", key: made.body.key, session }
  return {
    url,
    pid: pid ?? 0,
    owner,
    call,
    command: () => Promise.reject(new Error("this scenario needs the hub's command line: leave out --url")),
    stop: async () => void (await call("DELETE", `/api/v1/api-keys/${made.body["id"]}`, session))
  }
}
