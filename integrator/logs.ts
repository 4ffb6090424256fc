/**
 * `hub logs list`, `hub logs tail`: the account's latest API requests at a terminal. Owns their lines, and how a tail
 * finds what is new: it asks again for the last seconds and leaves out what it has shown.
 */
import { createClient, type HubClient, type Input, isFailure, type Output, Refused } from "../client/src/index.ts"
import type { Profile } from "./profiles.ts"
import { refusing } from "./refusal.ts"
import { signedIn } from "./sign-in.ts"
import type { Terminal } from "./terminal.ts"

/** Which requests. */
export type RequestFilter = Omit<Input<"requests.list">, "cursor" | "limit" | "since">
type Environment = Readonly<Record<string, string | undefined>>
type LoggedRequest = Output<"requests.list">["requests"][number]

/** The methods of the API. */
export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const
/** Whether a text is one. */
export const isMethod = (text: string): text is (typeof methods)[number] =>
  (methods as ReadonlyArray<string>).includes(text)
/** Whether a text is a status, a class of them, or `none`. */
export const isStatusFilter = (text: string): boolean => /^(?:[1-5]\d\d|[1-5]xx|none)$/u.test(text)

/** What is shown of them, and how. */
export interface Showing {
  readonly filter: RequestFilter
  /** How many are shown at once; of a tail, before what is new. */
  readonly last: number
  readonly json: boolean
  /** Of the whole account, whose owner signs in. */
  readonly account: boolean
}

const pollMillis = 2_000
/** A request may come into the log this much later than a newer one: nodes write by themselves. */
const lateMillisMax = 10_000
const pageMax = 1_000

const callerOf = ({ credential }: LoggedRequest): string =>
  credential.kind === "session" ? "session" : (credential.name ?? credential.id)

const lineOf = (one: LoggedRequest): string => {
  const time = new Date(one.at).toISOString().slice(11, 23)
  const outcome = one.reason === null ? `${one.status ?? "left"}` : `${one.status} ${one.reason}`
  const more = one.omitted === 0 ? "" : `  (${one.omitted} more are not kept)`
  return `${time}  ${one.method.padEnd(6)} ${one.path}  ${outcome}  ${one.durationMs} ms  ${callerOf(one)}  ${one.requestId}${more}`
}

const show = (requests: ReadonlyArray<LoggedRequest>, { json }: Showing, { say, sayJson }: Terminal): void => {
  for (const one of requests)
    if (json) sayJson(one)
    else say(lineOf(one))
}

const serverErrorsFrom = 500
const tooMany = 429
/** Whether a call may be answered later: it got no answer, a proxy's, or one that is about the hub and not the call. */
const mayPass = (error: unknown): error is Error => {
  if (!(error instanceof Refused)) return isFailure(error)
  return error.problem === undefined || error.status >= serverErrorsFrom || error.status === tooMany
}

/** Uses a client of the saved key, or of its account's owner. */
const using = async (
  profile: Profile,
  { account }: Showing,
  environment: Environment,
  terminal: Terminal,
  use: (client: HubClient) => Promise<void>
): Promise<void> => {
  if (!account) return use(createClient({ url: profile.url, credential: profile.key }))
  return signedIn(profile, { to: "see the requests of the whole account" }, { environment, terminal }, use)
}

/** Prints the latest, newest first. */
export const listRequests = (
  profile: Profile,
  showing: Showing,
  environment: Environment,
  terminal: Terminal
): Promise<void> =>
  using(profile, showing, environment, terminal, async (client) => {
    const { filter, last, json } = showing
    const call = client.requests.list({ ...filter, limit: last }, { signal: terminal.signal })
    const { requests, omitted } = await refusing(profile.url, call)
    show(requests, showing, terminal)
    if (!json && omitted > 0) terminal.complain(`${omitted} more requests are not kept: too many came at a time`)
  })

/** Prints the latest, then each further one as it comes into the log, until it is interrupted. */
export const tailRequests = (
  profile: Profile,
  showing: Showing,
  environment: Environment,
  terminal: Terminal
): Promise<void> =>
  using(profile, showing, environment, terminal, async (client) => {
    const { signal } = terminal
    const seen = new Map<string, number>()
    let newest = 0
    /** What is not shown yet, oldest first. */
    const fresh = async (): Promise<ReadonlyArray<LoggedRequest>> => {
      const since = Math.max(0, newest - lateMillisMax)
      const { requests } = await client.requests.list({ ...showing.filter, since, limit: pageMax }, { signal })
      const found = requests.filter(({ id }) => !seen.has(id)).reverse()
      for (const { id, at } of found) {
        seen.set(id, at)
        newest = Math.max(newest, at)
      }
      for (const [id, at] of seen) if (at < newest - lateMillisMax) seen.delete(id)
      return found
    }
    let failing = false
    /** The same; what failed is asked again at the next turn, and of failures in a row only the first is told. */
    const further = async (): Promise<ReadonlyArray<LoggedRequest>> => {
      try {
        const found = await fresh()
        failing = false
        return found
      } catch (error) {
        if (signal.aborted || !mayPass(error)) throw error
        if (!failing) terminal.complain(`${error.message}; it is asked again`)
        failing = true
        return []
      }
    }
    const follow = async (): Promise<void> => {
      const found = await fresh()
      show(showing.last === 0 ? [] : found.slice(-showing.last), showing, terminal)
      terminal.complain("following the requests; Ctrl-C ends it")
      for (await terminal.pause(pollMillis); !signal.aborted; await terminal.pause(pollMillis))
        show(await further(), showing, terminal)
    }
    await refusing(profile.url, follow()).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  })
