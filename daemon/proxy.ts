/**
 * The proxy of the network that this machine is in, as the environment names it: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY,
 * NO_PROXY. Owns that the socket and every other call go through it by CONNECT; opens nothing itself.
 */
import type { Agent } from "node:http"
import { HttpsProxyAgent } from "https-proxy-agent"
import { getProxyForUrl } from "proxy-from-env"
import { ArgumentError } from "../src/cli/arguments.ts"
import { hubUrl } from "./hub-address.ts"

/** The proxy for an address, a socket's or another; undefined: none. Throws where the environment names none. */
export const proxyOf = (url: string): URL | undefined => {
  const proxy = getProxyForUrl(hubUrl(url))
  if (proxy === "") return undefined
  // it may hold a password, so it is not repeated
  if (!/^https?:/u.test(proxy) || !URL.canParse(proxy))
    throw new ArgumentError("the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY) is no http address")
  return new URL(proxy)
}

/** What opens connections to an address; undefined: nothing special. */
export const proxyAgent = (url: string): Agent | undefined => {
  const proxy = proxyOf(url)
  return proxy && new HttpsProxyAgent(proxy)
}
