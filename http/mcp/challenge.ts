/**
 * What a client without enough of a credential is told of the way to one (RFC 9728, 5.1; RFC 6750, 3): where the
 * metadata of this endpoint stands, and which scopes to ask for. Owns the header; judges no caller.
 */
import { type Issuer, type mcpPaths, resourceMetadataPath } from "../../src/auth/oauth/issuer.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { Scope } from "../../src/domain/account/scopes.ts"
import { grantableScopes } from "../../src/domain/oauth/granted-scopes.ts"
import { Answer } from "../pipeline/response.ts"

/** The answers of an endpoint with the header. */
export interface Challenge {
  /** Of a 401; any other answer is as it was. A person then chooses among all scopes. */
  readonly required: (answer: Answer) => Answer
  /** Of a 403 to an app: what it has and what it lacks, since the new token takes the place of the old one. */
  readonly insufficient: (answer: Answer, principal: Principal, lacked: ReadonlyArray<Scope>) => Answer
}

const name = "www-authenticate"

const withHeader = ({ status, headers, body }: Answer, value: string): Answer =>
  new Answer(status, [...headers.filter(([one]) => one.toLowerCase() !== name), [name, value]], body)

/** Builds it for the endpoint at this path. */
export const challengeOf = ({ issuer }: Issuer, path: (typeof mcpPaths)[number]): Challenge => {
  const metadata = `resource_metadata="${issuer}${resourceMetadataPath(path)}"`
  const scope = (some: ReadonlyArray<Scope>): string => `scope="${some.join(" ")}"`
  return {
    required: (answer) => {
      const given = answer.headers.find(([one]) => one.toLowerCase() === name)?.[1]
      if (answer.status !== 401 || given === undefined) return answer
      return withHeader(answer, `${given}, ${metadata}, ${scope(grantableScopes)}`)
    },
    insufficient: (answer, { scopes }, lacked) => {
      const wanted = grantableScopes.filter((one) => scopes.has(one) || lacked.includes(one))
      return withHeader(answer, `Bearer realm="hub", error="insufficient_scope", ${scope(wanted)}, ${metadata}`)
    }
  }
}
