/**
 * `POST /mcp`: the Model Context Protocol over Streamable HTTP, without sessions, so that any node answers. Owns
 * what is a message, and that each request is charged: by what it calls, else by itself; message-handler.ts answers it.
 */
import { Cause, type Clock, Effect } from "effect"
import { type Issuer, mcpPaths, resourceMetadataPath } from "../../src/auth/oauth/issuer.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { Scope } from "../../src/domain/account/scopes.ts"
import type { FairDebts } from "../../src/domain/limits/fair-debts.ts"
import { grantableScopes } from "../../src/domain/oauth/granted-scopes.ts"
import { jsonExtent } from "../../src/domain/text/json-extent.ts"
import { AuthForbidden, type HubError, OriginForbidden } from "../../src/errors.ts"
import { mcpBodyBytesMax, mcpLightValuesMax, mcpValuesMax } from "../../src/limits/mcp.ts"
import { jsonDepthMax } from "../../src/limits.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import { toEffect } from "../../src/runtime/maybe-sync.ts"
import type { Access } from "../api/access.ts"
import type { Endpoint, Served } from "../pipeline/endpoint.ts"
import { handlerOf } from "../pipeline/pipeline.ts"
import type { PipelineContext } from "../pipeline/pipeline-context.ts"
import { problem } from "../pipeline/problem.ts"
import { rateLimitHead } from "../pipeline/rate-limit-headers.ts"
import { refuseCharged } from "../pipeline/refuse-charged.ts"
import type { RequestExchange } from "../pipeline/request-exchange.ts"
import type { Body } from "../pipeline/request-parts.ts"
import { Answer, json } from "../pipeline/response.ts"
import { wholeTextOf } from "../pipeline/whole-text.ts"
import { innerCalls } from "./inner-exchange.ts"
import type { HandleMessage } from "./message-handler.ts"
import type { McpCall } from "./tool-calls.ts"

/** The answers of an endpoint with the header. */
interface Challenge {
  /** Of a 401; any other answer is as it was. A person then chooses among all scopes. */
  readonly required: (answer: Answer) => Answer
  /** Of a 403 to an app: what it has and what it lacks, since the new token takes the place of the old one. */
  readonly insufficient: (answer: Answer, principal: Principal, lacked: Scope) => Answer
}

const challengeHeader = "www-authenticate"

const withHeader = ({ status, headers, body }: Answer, value: string): Answer =>
  new Answer(
    status,
    [...headers.filter(([one]) => one.toLowerCase() !== challengeHeader), [challengeHeader, value]],
    body
  )

/**
 * What a client without enough of a credential is told of the way to one (RFC 9728, 5.1; RFC 6750, 3): where the
 * metadata of the endpoint at this path stands, and which scopes to ask for.
 */
const challengeOf = ({ issuer }: Issuer, path: (typeof mcpPaths)[number]): Challenge => {
  const metadata = `resource_metadata="${issuer}${resourceMetadataPath(path)}"`
  const scope = (some: ReadonlyArray<Scope>): string => `scope="${some.join(" ")}"`
  return {
    required: (answer) => {
      const given = answer.headers.find(([one]) => one.toLowerCase() === challengeHeader)?.[1]
      if (answer.status !== 401 || given === undefined) return answer
      return withHeader(answer, `${given}, ${metadata}, ${scope(grantableScopes)}`)
    },
    insufficient: (answer, { scopes }, lacked) => {
      const wanted = grantableScopes.filter((one) => scopes.has(one) || one === lacked)
      return withHeader(answer, `Bearer realm="hub", error="insufficient_scope", ${scope(wanted)}, ${metadata}`)
    }
  }
}

const id = "mcp.message"

const access: Access = {
  kind: "any",
  agents: true,
  quota: false,
  charged: false,
  logged: false,
  idempotent: false,
  onHangUp: "cancel",
  bodyBytes: mcpBodyBytesMax
}
/** What a message costs that calls no endpoint: a place in the rate limits, nothing of the month. */
const ownAccess: Access = { kind: "any", agents: true, quota: false, onHangUp: "cancel" }

const originHeader = "origin"
const hostHeader = "host"
const passedOn = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"]
const headerNames = [...passedOn, originHeader, hostHeader]
const originAt = headerNames.indexOf(originHeader)
const hostAt = headerNames.indexOf(hostHeader)

const parseError = -32700
const invalidRequest = -32600
const methodNotFound = -32601

const refusal = (status: number, code: number, message: string, of: unknown = null): Answer =>
  json(status, { jsonrpc: "2.0", id: of, error: { code, message } })

/** A message that was read. `isLight`: reading it further takes no time to speak of. */
interface ReadMessage {
  readonly message: unknown
  readonly isLight: boolean
}

/** The message of a body, or why there is none. */
const messageOf = (body: Body | undefined): ReadMessage | HubError | Answer => {
  const text = wholeTextOf(body, mcpBodyBytesMax)
  if (typeof text !== "string") return text
  // before it is parsed, which takes ten times as long for a text of many members
  const { depth, values } = jsonExtent(text, jsonDepthMax, mcpValuesMax)
  if (depth > jsonDepthMax)
    return refusal(400, invalidRequest, `Invalid Request: the body nests deeper than ${jsonDepthMax} levels`)
  if (values > mcpValuesMax)
    return refusal(400, invalidRequest, `Invalid Request: the body holds more than ${mcpValuesMax} values`)
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return refusal(400, parseError, "Parse error: the body is not valid JSON")
  }
  if (Array.isArray(message)) return refusal(400, invalidRequest, "Invalid Request: one message per request, no batch")
  // the hub's tools do not change while it runs, so there is nothing to listen to
  if (isRecord(message) && message["method"] === "subscriptions/listen")
    return refusal(404, methodNotFound, "Method not found", message["id"] ?? null)
  return { message, isLight: values <= mcpLightValuesMax }
}

/** Whether a message leads to endpoints, which charge it. */
const leadsOn = (message: unknown): boolean => {
  const method = isRecord(message) ? message["method"] : undefined
  return typeof method === "string" && (method === "tools/call" || method.startsWith("tasks/"))
}

/** Has a message dealt with. A caller that hangs up ends what the message has called. */
const handled = (handle: HandleMessage, exchange: RequestExchange, call: McpCall, message: unknown) =>
  Effect.callback<Answer>((resume) => {
    const head = passedOn.map((name, at) => [name, exchange.headers[at]!] as const)
    handle(head, call, message).then(
      (answer) => resume(Effect.succeed(answer)),
      (error: unknown) => resume(Effect.die(error))
    )
    return Effect.sync(call.inner.abort)
  })

/** What the endpoint needs. */
export interface McpNeeds {
  readonly edge: PipelineContext
  readonly node: FairDebts
  readonly clock: Clock.Clock
  readonly handle: HandleMessage
  /** Undefined: there is no OAuth. */
  readonly issuer: Issuer | undefined
  readonly mayCallFrom: (origin: string, host: string) => boolean
}

const endpointOf = (needs: McpNeeds, path: (typeof mcpPaths)[number]): Endpoint => {
  const { edge, node, clock, handle, issuer } = needs
  const challenge: Challenge | undefined = issuer && challengeOf(issuer, path)

  /** Charges a message that no endpoint has charged; its own refusal wins. */
  const charged = (exchange: RequestExchange): Effect.Effect<void, HubError> =>
    Effect.flatMap(
      toEffect(edge.guard.judge(ownAccess, exchange.authorization, exchange)),
      ({ failure, decisions }) => {
        if (exchange.record !== undefined) exchange.record.rateLimits = rateLimitHead(decisions)
        return failure === undefined ? Effect.void : Effect.fail(failure)
      }
    )

  const answered = (exchange: RequestExchange, body: Body | undefined, principal: Principal) => {
    const given = messageOf(body)
    if (given instanceof Answer) return Effect.as(charged(exchange), given)
    if ("_tag" in given) return Effect.andThen(charged(exchange), Effect.fail(given))
    const { requestId } = exchange
    let lacked: Scope | undefined
    const call: McpCall = {
      principal,
      requestId,
      inner: innerCalls(exchange),
      now: () => clock.currentTimeMillisUnsafe(),
      charge: (cost) => node.owe(principal.accountId, cost),
      lacks: (scope) => {
        lacked = scope
      },
      defect: (error) => edge.defect(Cause.die(error), id, requestId)
    }
    const handling = Effect.suspend(() => handled(handle, exchange, call, given.message))
    // an app asks for more only where it is told by the status
    const served = Effect.map(handling, (answer) => {
      if (principal.credential.kind !== "grant" || challenge === undefined) return answer
      if (lacked === undefined || !grantableScopes.includes(lacked)) return answer
      return challenge.insufficient(problem(new AuthForbidden({ requiredScope: lacked }), requestId), principal, lacked)
    })
    // what it leads to refuses it only after the work of reading it, which a full limit must not give away
    if (!leadsOn(given.message) || !given.isLight) return Effect.andThen(charged(exchange), served)
    return Effect.tap(served, () => (call.inner.made() ? Effect.void : charged(exchange)))
  }
  return {
    id,
    method: "POST",
    path,
    access,
    headerNames,
    takesBody: true,
    needsBody: true,
    call: (exchange, body, principal) => answered(exchange, body, principal),
    encode: (value) => value as Answer,
    encodeFailure: (failure, id) => challenge?.required(problem(failure, id)) ?? problem(failure, id)
  }
}

/** Builds the endpoint with its handler, at each path. Where a page calls from is judged before anything else. */
export const mcpEndpoints = (needs: McpNeeds): ReadonlyArray<Served> => {
  return mcpPaths.map((path) => {
    const endpoint = endpointOf(needs, path)
    const served = handlerOf(needs.edge, endpoint)
    const handle: Served["handle"] = (exchange) => {
      const { headers } = exchange
      if (needs.mayCallFrom(headers[originAt]!, headers[hostAt]!)) served(exchange)
      else refuseCharged(needs.edge, exchange, id, new OriginForbidden())
    }
    return { endpoint, handle }
  })
}
