/** The status lines that the hub writes. */
import { STATUS_CODES } from "node:http"

const lines = new Map<number, string>()
for (const [code, words] of Object.entries(STATUS_CODES)) lines.set(Number(code), `${code} ${words}`)

/** `200 OK` of 200. */
export const statusLine = (status: number): string => lines.get(status) ?? `${status} Status`
