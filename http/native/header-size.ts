/**
 * How large the head of a request may be. Owns one variable that uWebSockets.js reads when it is loaded, so this file
 * must be imported before it: its own 4 KiB would refuse the longer tokens of identity providers. What is larger: 431.
 */
import { bearerCharsMax } from "../../src/limits.ts"

/** The head of a request, all headers together, in bytes. */
export const headBytesMax = bearerCharsMax * 2

process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = String(headBytesMax)
