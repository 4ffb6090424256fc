/**
 * Which web pages may call the MCP endpoint: none whose host name could be made to mean this hub (DNS rebinding). Owns
 * the rule; a request without `Origin` comes from no page.
 */

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/**
 * Builds the rule: the origins that the operator names, the hub's public address, and pages of this host where the hub
 * is asked by a name of this host. What the request calls the hub proves nothing else.
 */
export const originRule = (origins: ReadonlyArray<string>, publicUrl: string | undefined) => {
  const known = new Set(origins)
  const own = publicUrl === undefined ? undefined : parsed(publicUrl)?.origin
  if (own !== undefined) known.add(own)
  return (origin: string, host: string): boolean => {
    if (origin === "" || known.has(origin)) return true
    const from = parsed(origin)
    const to = parsed(`http://${host}`)
    return from !== undefined && to !== undefined && loopback.test(from.hostname) && loopback.test(to.hostname)
  }
}
