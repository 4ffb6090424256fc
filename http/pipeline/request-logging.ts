/**
 * Hands answered requests of known accounts to the request log. Owns what is taken from a request: no body, query or
 * header, and no address. A request that has no room in the log costs a look at its account's share only.
 */
import type { RequestLog } from "../../actors/request-log/request-log.ts"
import { withoutCredentials } from "../../src/auth/checksummed-token.ts"
import { withoutEscapes } from "../../src/domain/text/percent-escapes.ts"
import { loggedPathCharsMax } from "../../src/limits.ts"
import { type Observer, statusOf } from "./call-record.ts"
import type { Endpoint } from "./endpoint.ts"
import { filledPath, templateOf } from "./path-parameters.ts"
import type { Answer } from "./response.ts"

export interface Times {
  readonly now: () => number
  readonly nanos: () => number
}

/** The path of a request. A copy, because a part of a text keeps the whole in memory. */
const pathOf = (path: string, parameters: ReadonlyArray<string>): string => {
  if (parameters.length === 0) return path
  // before it is cut, which could leave half of a credential
  const filled = filledPath(path, parameters)
  const plain = withoutEscapes(filled)
  const redacted = withoutCredentials(plain)
  const whole = redacted === plain ? filled : redacted
  return whole.length <= loggedPathCharsMax ? whole : whole.slice(0, loggedPathCharsMax)
}

/** Reason and code of an error's body. */
export const refusalOf = (
  body: Answer["body"]
): { readonly reason: string | undefined; readonly code: string | undefined } => {
  const none = { reason: undefined, code: undefined }
  if (typeof body !== "string") return none
  try {
    const { reason, code } = JSON.parse(body) as { readonly reason?: unknown; readonly code?: unknown }
    return {
      reason: typeof reason === "string" ? reason : undefined,
      code: typeof code === "string" ? code : undefined
    }
  } catch {
    return none // not an error of ours
  }
}

const errorsFrom = 400
const nanosPerMicro = 1_000

/** Builds it for one endpoint. */
export const requestLogging = (
  log: Pick<RequestLog["Service"], "admits" | "add">,
  times: Times,
  { id: operation, path }: Pick<Endpoint, "id" | "path">
): Observer => {
  const route = templateOf(path)
  return {
    end: ({ request, account, keyId, ownerId, startedAt }, end) => {
      const status = statusOf(end)
      const failed = status === undefined || status >= errorsFrom
      if (account === "" || !log.admits(account, failed)) return
      const { method, parameters, requestId } = request
      const durationMicros = Math.round((times.nanos() - startedAt) / nanosPerMicro)
      const body = failed && typeof end !== "string" ? end.body : undefined
      log.add(account, {
        at: times.now(),
        details: () => ({
          keyId: keyId === "" ? undefined : keyId,
          ownerId: ownerId === "" ? undefined : ownerId,
          requestId,
          method,
          operation,
          route,
          path: pathOf(path, parameters),
          status,
          ...refusalOf(body),
          durationMicros
        })
      })
    }
  }
}
