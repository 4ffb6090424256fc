/** `hub call METHOD PATH`: one request with the saved key, its answer as it came. Owns the reading of its body. */
import { readFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { foreignAnswer } from "../client/src/index.ts"
import { plainJson } from "../src/runtime/escape.ts"
import { profileOf } from "./profiles.ts"
import { Refusal, unreachable } from "./refusal.ts"
import type { Terminal } from "./terminal.ts"

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
const waitMillisMax = 75_000

/** What is called. */
export interface CallInput {
  readonly method: string
  readonly path: string
  /** JSON, `@FILE`, or `-` for standard input. */
  readonly data: string | undefined
  readonly headers: ReadonlyArray<string>
  readonly profile: string | undefined
  /** Show status and headers, too. */
  readonly include: boolean
}

/** The body that is meant: JSON, `@FILE`, or `-` for standard input. */
export const readBody = async (data: string | undefined): Promise<string | undefined> => {
  if (data === undefined) return undefined
  if (data === "-") return text(process.stdin)
  if (!data.startsWith("@")) return data
  try {
    return readFileSync(data.slice(1), "utf8")
  } catch (error) {
    throw new Refusal(`${data.slice(1)} cannot be read: ${(error as Error).message}`)
  }
}

const headersOf = (given: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(
    given.map((line) => {
      const colon = line.indexOf(":")
      if (colon <= 0) throw new Refusal('--header is "Name: value"')
      const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
      // what `fetch` says of such a line would quote it, and it may hold a secret
      if (!/^[\x21-\x7e]+$/u.test(name) || !/^[\t\x20-\x7e]*$/u.test(value))
        throw new Refusal("--header has a line break or another character that no header can carry")
      return [name, value]
    })
  )

const pathOf = (path: string): string => {
  if (/^https?:/u.test(path))
    throw new Refusal("PATH is a path of the hub, such as /api/v1/me; the hub is the profile's")
  return path.startsWith("/") ? path : `/api/v1/${path}`
}

/** Sends it and prints the body; gives whether the answer is a success. */
export const callHub = async (
  input: CallInput,
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal
): Promise<boolean> => {
  const method = input.method.toUpperCase()
  if (!methods.has(method)) throw new Refusal(`METHOD is one of ${[...methods].join(", ")}, not ${input.method}`)
  const { url, key } = profileOf(input.profile, environment)
  const body = await readBody(input.data)
  if (body !== undefined && (method === "GET" || method === "HEAD")) throw new Refusal(`${method} takes no --data`)
  const given = headersOf(input.headers)
  const target = `${url.replace(/\/+$/u, "")}${pathOf(input.path)}`
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...given
  }
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(waitMillisMax)])
  // a redirect is an answer too: its address is not the one that the key is for
  const sent = { method, headers, signal, redirect: "manual", ...(body === undefined ? {} : { body }) } as const
  const lost = (error: Error): never => {
    throw new Refusal(unreachable(url, error))
  }
  const answer = await fetch(target, sent).catch(lost)
  if (input.include) {
    terminal.complain(`${answer.status} ${answer.statusText}`)
    for (const [name, value] of answer.headers) terminal.complain(`${name}: ${value}`)
  }
  const type = answer.headers.get("content-type") ?? ""
  if (type.startsWith("application/octet-stream")) {
    terminal.pass(new Uint8Array(await answer.arrayBuffer().catch(lost)))
    return answer.ok
  }
  const content = await answer.text().catch(lost)
  // JSON stays JSON: what a terminal might obey is escaped in its own way
  const isJson = /\bjson\b/u.test(type)
  const lines = content.replace(/\n$/u, "").split("\n")
  if (content !== "") terminal.say((isJson ? lines.map(plainJson) : lines).join("\n"))
  if (answer.status >= 300 && answer.status < 400) {
    const header = (name: string) => answer.headers.get(name)
    terminal.complain(`hub call: ${foreignAnswer(url, pathOf(input.path), { status: answer.status, header })}`)
  }
  return answer.ok
}
