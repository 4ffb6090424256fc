/** What the hub has of each status: the line that it writes, and the count of the answers that had it. */
import { STATUS_CODES } from "node:http"
import { type Sum, sumOf } from "../../src/runtime/metrics.ts"

const lines = new Map<number, string>()
for (const [code, words] of Object.entries(STATUS_CODES)) lines.set(Number(code), `${code} ${words}`)

/** `200 OK` of 200. */
export const statusLine = (status: number): string => lines.get(status) ?? `${status} Status`

// all places are made now: an array that gets its 500th first is a slow table
const answers = Array.from({ length: 600 }, (): Sum | undefined => undefined)

/** Counts an answer by its status, for the metrics. */
export const countAnswer = (status: number): void => {
  const known = answers[status]
  if (known !== undefined) known.sum++
  else {
    const sum = sumOf("hub_requests_total", String(status) as "200")
    answers[status] = sum
    sum.sum++
  }
}
