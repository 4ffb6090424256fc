/** What the hub has of each status: the line that it writes, and the count of the answers that had it. */
import { STATUS_CODES } from "node:http"
import { type Sum, sumOf } from "../../src/runtime/metrics.ts"

const lines = new Map<number, string>()
for (const [code, words] of Object.entries(STATUS_CODES)) lines.set(Number(code), `${code} ${words}`)

/** `200 OK` of 200. */
export const statusLine = (status: number): string => lines.get(status) ?? `${status} Status`

const answers: Array<Sum | undefined> = []

/** Counts an answer by its status, for the metrics. */
export const countAnswer = (status: number): void => {
  const sum = answers[status] ?? sumOf("hub_requests_total", String(status) as "200")
  answers[status] = sum
  sum.sum++
}
