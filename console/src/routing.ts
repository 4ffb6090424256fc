/** Which view the address names. The part behind `#` is the route, so that one path of the hub serves every view. */
import { Store } from "./state/store.ts"

/** The words of the route: `#/daemons/dmn_1` is `["daemons", "dmn_1"]`. */
export type Route = ReadonlyArray<string>

const decoded = (word: string): string => {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

/** Reads a route; the daemons where there is none. */
export const routeOf = (hash: string): Route => {
  const words = hash
    .replace(/^#\/?/u, "")
    .split("/")
    .filter((word) => word !== "")
    .map(decoded)
  return words.length === 0 ? ["daemons"] : words
}

/** The link to a route. */
export const linkTo = (...words: Route): string => `#/${words.map(encodeURIComponent).join("/")}`

/** The route of the page. */
export const route = new Store<Route>(routeOf(location.hash))

addEventListener("hashchange", () => route.set(routeOf(location.hash)))
