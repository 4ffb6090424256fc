/** The table of counters and gauges as the code has it. Owns the columns; the words are those of metrics.ts. */
import { counters, gauges } from "../../src/runtime/metrics.ts"

interface Row {
  readonly help: string
  readonly label?: { readonly name: string }
}

/** One Markdown row per metric. */
export const metricsRows = (): ReadonlyArray<string> =>
  Object.entries<Row>({ ...counters, ...gauges }).map(
    ([name, { help, label }]) => `| \`${name}\` | ${label === undefined ? "" : `\`${label.name}\` `}| ${help} |`
  )
