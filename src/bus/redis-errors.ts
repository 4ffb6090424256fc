/**
 * Why Redis does not serve this node, as a sentence for the operator. Owns the closed list of reasons. It never passes
 * on a text of Redis or its client, which may repeat a password. Pure.
 */

/** Reasons by the word that an error of Redis or of the system carries. */
const reasons: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bWRONGPASS\b/u, "it refuses the user or the password of REDIS_URL"],
  [/\bNOAUTH\b/u, "it asks for a password, and REDIS_URL has none"],
  [/\bNOPERM\b/u, "it does not permit the user of REDIS_URL what the hub needs"],
  [/\bREADONLY\b/u, "it is a replica, and takes no writes"],
  [/\bOOM\b/u, "its memory is full (maxmemory)"],
  [/\bMISCONF\b/u, "it takes no writes, for it cannot save to its disk"],
  [/\bNOREPLICAS\b/u, "it takes no writes, for it has too few replicas"],
  [/\b(?:LOADING|MASTERDOWN|CLUSTERDOWN)\b/u, "it is not ready yet, or a part of it is down"],
  [/\bDB index is out of range\b/u, "it has no database of that number"],
  [/\b(?:ENOTFOUND|EAI_AGAIN)\b/u, "its name is unknown"],
  [/\bECONNREFUSED\b/u, "nothing listens there"],
  [/\b(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/u, "it cannot be reached"],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|\bERR_(?:SSL|TLS)_/u, "its certificate is not trusted, or it speaks no TLS"]
]

/** The reason of an error; undefined when the error says only that the connection is down. */
export const redisErrorReason = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  // An error of a Cluster carries the reason in the error of its last node.
  const { lastNodeError } = error as { readonly lastNodeError?: unknown }
  if (lastNodeError instanceof Error) return redisErrorReason(lastNodeError)
  const { code } = error as { readonly code?: unknown }
  const text = `${typeof code === "string" ? code : ""} ${error.message}`
  const known = reasons.find(([word]) => word.test(text))
  if (known !== undefined) return known[1]
  return error.name === "ReplyError" ? "it answers an error that the hub does not know" : undefined
}
