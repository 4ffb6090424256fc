/**
 * What a 404 says is not there: the things that the path of a call names, as its caller wrote them. Owns these words;
 * they are the same for an id that is unknown, malformed or another account's.
 */
import { shownName } from "../../src/domain/redaction/shown-name.ts"
import type { Access } from "../api/access.ts"
import { parameterNames } from "./path-parameters.ts"

/** Of a path that no call has, or that only this host may ask for. */
export const noSuchPath = "such path; the reference is at /docs"

const nouns: Readonly<Record<string, string>> = {
  appId: "connected app",
  approvalId: "approval",
  commandId: "command",
  daemonId: "daemon",
  deliveryId: "delivery",
  ideId: "agent",
  invitationId: "invitation",
  jobId: "job",
  joinKeyId: "join key",
  keyId: "API key",
  page: "page",
  personId: "member",
  policyId: "policy",
  pushSubscriptionId: "browser",
  serviceAccountId: "service account",
  sessionId: "session",
  type: "package",
  version: "version",
  webhookId: "webhook"
}

/** What of an endpoint's path is not there, by the values in it; undefined where it names nothing. */
export const missingAt = (path: string, { kind, scope, admin }: Access) => {
  const names = parameterNames(path).map((name) => nouns[name] ?? name)
  const where = kind === "public" || scope === "registry:publish" || admin === true ? "" : " in this account"
  return (parameters: ReadonlyArray<string>): string | undefined => {
    const parts = names.map((noun, at) => `${noun} ${shownName(parameters[at] ?? "")}`)
    return parts.length === 0 ? undefined : `${parts.reverse().join(" of ")}${where}`
  }
}
