/** The address of this hub, as a script or a document says it. Owns what may stand in one. */

/** A host and port as a shell's word holds them: nothing else of a request may stand in a script. */
const plainHost = /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\])(?::\d{1,5})?$/iu

/** A setting that may hold what ends a shell's word, a line break, or credentials. */
const plainUrl = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return (origin + pathname).replaceAll("'", "%27").replace(/\/+$/u, "")
}

/**
 * Where this hub is: as it was told, otherwise as it was called. Undefined: it cannot be said in a script.
 * `publicUrl`: the setting; `host`: the header of the request.
 */
export const ownAddress = (
  publicUrl: string | undefined,
  isTls: boolean,
  host: string | undefined
): string | undefined => {
  if (publicUrl !== undefined) return plainUrl(publicUrl)
  return host !== undefined && plainHost.test(host) ? `http${isTls ? "s" : ""}://${host}` : undefined
}
