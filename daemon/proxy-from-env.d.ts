/** The types of proxy-from-env, which has none. */
declare module "proxy-from-env" {
  /** The proxy for an address, by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; empty: none. */
  export const getProxyForUrl: (url: string) => string
}
