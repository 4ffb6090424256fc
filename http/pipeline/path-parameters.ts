/** The parameters of an endpoint's path (`/daemons/:daemonId`). Owns how they are written in it; decodes no value. */

const parameter = /:([A-Za-z0-9_]+)/gu

/** Their names, in order. */
export const parameterNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(parameter)].map((match) => match[1]!)

/** The path with its parameters in braces, as OpenAPI writes it. */
export const templateOf = (path: string): string => path.replace(parameter, "{$1}")

/** The path with values in their places; they are not escaped here. */
export const filledPath = (path: string, values: ReadonlyArray<string>): string => {
  let at = 0
  return path.replace(parameter, () => values[at++] ?? "")
}
