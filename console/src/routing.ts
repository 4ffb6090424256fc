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
    .replace(/^#\/?|\?.*$/gu, "")
    .split("/")
    .filter((word) => word !== "")
    .map(decoded)
  return words.length === 0 ? ["daemons"] : words
}

/** What stands behind `?` in the address: how a view is set, so that Back and a link bring it as it was. */
export const queryOf = (hash: string): URLSearchParams => new URLSearchParams(/\?(.*)$/su.exec(hash)?.[1] ?? "")

/** Keeps how the view is set in the address, as no step of its own. */
export const keepQuery = (settings: Readonly<Record<string, string>>): void => {
  const query = new URLSearchParams(Object.entries(settings).filter(([, value]) => value !== "")).toString()
  history.replaceState(null, "", `${location.hash.replace(/\?.*$/su, "")}${query === "" ? "" : `?${query}`}`)
}

/** The link to a route. */
export const linkTo = (...words: Route): string => `#/${words.map(encodeURIComponent).join("/")}`

/** The route of the page. */
export const route = new Store<Route>(routeOf(location.hash))

addEventListener("hashchange", () => route.set(routeOf(location.hash)))
