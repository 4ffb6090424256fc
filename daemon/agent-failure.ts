/**
 * Classifies the failure of an agent program as a code and a sentence: no program, no login, ended, silent, no Agent
 * Client Protocol. Quotes the program only redacted and bounded. Starts, waits for and ends nothing.
 */

import { stripVTControlCharacters } from "node:util"
import { type AuthMethod, RequestError } from "@agentclientprotocol/sdk"
import { cutToChars, lastChars } from "../src/domain/text/truncate.ts"
import { agentWordsCharactersMax, authMethodsMax, stderrQuotedCharactersMax } from "./limits.ts"
import type { Provider } from "./providers.ts"
import { redacted } from "./redaction.ts"
import { Refusal, words } from "./refusal.ts"

/** How a program ended: with a code, by a signal, or because it could not be started at all. */
export type ProgramEnd =
  | { readonly code: number }
  | { readonly signal: string }
  | { readonly error: NodeJS.ErrnoException }

/** The error of the Agent Client Protocol with which an agent asks for a login. */
const authRequiredCode = -32_000
/** No such program, or a part of its path is no folder. */
const missing: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"])

const clean = (text: string): string => String(redacted(stripVTControlCharacters(text))).trim()

const bounded = (text: string): string => {
  const cleaned = clean(text)
  return cleaned.length <= agentWordsCharactersMax ? cleaned : `${cutToChars(cleaned, agentWordsCharactersMax)}…`
}

/** The end of a program's stderr, as a sentence may quote it; empty when it wrote nothing. */
const quoted = (stderr: string): string => {
  const cleaned = clean(stderr)
  if (cleaned === "") return ""
  const cut = cleaned.length > stderrQuotedCharactersMax
  return `; the end of its stderr: ${cut ? "…" : ""}${lastChars(cleaned, stderrQuotedCharactersMax)}`
}

/** How a program ended, in words, with the end of its stderr. */
export const endWords = (end: ProgramEnd, stderr: string): string => {
  if ("error" in end) return `it could not be started: ${words(end.error)}`
  return `${"code" in end ? `it ended with code ${end.code}` : `it was ended by ${end.signal}`}${quoted(stderr)}`
}

/** The refusal for a program that ended before it was of use, or that was never there. */
export const ended = (provider: Provider, end: ProgramEnd, stderr: string): Refusal => {
  if (!("error" in end)) {
    return new Refusal("agent_exited", `${provider.displayName} did not go on: ${endWords(end, stderr)}`)
  }
  if (!missing.has(end.error.code)) {
    return new Refusal("launch_failed", `${provider.displayName} did not start: ${endWords(end, stderr)}`)
  }
  const program = `the program ${provider.command} was not found`
  return new Refusal("agent_not_found", `${provider.displayName} did not start: ${program} (${words(end.error)})`)
}

/** The refusal for a program that did not do its step of the start in time. */
export const timedOut = (provider: Provider, step: string, millis: number, stderr: string): Refusal =>
  new Refusal(
    "agent_timeout",
    `${provider.displayName} did not answer \`${step}\`: no session after ${millis / 1_000} s${quoted(stderr)}`
  )

/** The refusal for a program that does something else than speak the protocol. */
export const notAcp = (provider: Provider, how: string, stderr: string): Refusal =>
  new Refusal(
    "agent_not_acp",
    `${provider.displayName} does not speak ACP (the Agent Client Protocol): ${how}${quoted(stderr)}`
  )

/** A way to log in: its id, and what the agent says of it. Many say only in the description what to do. */
const methodWords = ({ id, name, description }: AuthMethod): string => {
  const own = bounded(String(id))
  const told = [name, description]
    .map((text) => bounded(String(text ?? "")))
    .filter((text) => text !== "" && text !== own)
  return told.length === 0 ? own : `${own} (${told.join(": ")})`
}

const whatToDo =
  "on the daemon's computer, as the daemon's user, log in with the agent's own program, or start the daemon with the agent's API key in its environment; then try again"

const authRequired = (provider: Provider, error: RequestError, methods: ReadonlyArray<AuthMethod>): Refusal => {
  const named = methods.slice(0, authMethodsMax).map(methodWords)
  const ways = named.length === 0 ? "it names no way to log in" : `its ways to log in: ${named.join(", ")}`
  const sentence = `${provider.displayName} asks for a login first (${bounded(error.message)})`
  return new Refusal("agent_auth_required", `${sentence}: ${whatToDo}; ${ways}`)
}

/** What agents say of an inner failure stands in `data`: a text, or an object with `details`. */
const detail = (data: unknown): string | undefined => {
  const text = typeof data === "object" && data !== null ? (data as { details?: unknown }).details : data
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

/** The refusal for an error that the agent itself answered. */
export const answeredError = (
  provider: Provider,
  code: string,
  error: RequestError,
  methods: ReadonlyArray<AuthMethod>
): Refusal => {
  if (error.code === authRequiredCode) return authRequired(provider, error, methods)
  const more = detail(error.data)
  const said = more === undefined || error.message.includes(more) ? error.message : `${error.message}: ${more}`
  return new Refusal(code, `${provider.displayName} answered with an error: ${bounded(said)}`)
}

/** Whether an error is the agent's own answer, and not a break of the connection to it. */
export const isAnswer = (error: unknown): error is RequestError => error instanceof RequestError
