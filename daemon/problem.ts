/** Reads the hub's answer to a refused upgrade; decides nothing. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { awayMillisMax, problemBytesMax } from "./limits.ts"

/**
 * How long it asks us to stay away at least: to the millisecond where it says so, else in seconds; 0 when it does not
 * say.
 */
export const untilRetry = (headers: IncomingHttpHeaders): number => {
  const exactly = Number(headers["retry-after-ms"])
  const millis = exactly > 0 ? exactly : 1_000 * Number(headers["retry-after"])
  return millis > 0 ? Math.min(millis, awayMillisMax) : 0
}

/** The reason in its body; "" where it gives none. Never fails. */
export const problemOf = async (response: IncomingMessage): Promise<{ readonly reason: string }> => {
  try {
    let text = ""
    for await (const chunk of response) {
      text += String(chunk)
      if (text.length > problemBytesMax) break
    }
    const { reason } = JSON.parse(text) as { readonly reason?: unknown }
    return { reason: typeof reason === "string" ? reason : "" }
  } catch {
    return { reason: "" }
  }
}
