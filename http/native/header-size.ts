/**
 * The maximum size of a request head. Owns one environment variable that uWebSockets.js reads when it is loaded, so
 * this file must be imported first: the library's own 4 KiB would refuse long tokens of identity providers. Beyond it:
 * 431.
 */
import { bearerCharsMax } from "../../src/limits.ts"

/** The maximum size of a request head, all headers together, in bytes. */
export const headBytesMax = bearerCharsMax * 2

process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = String(headBytesMax)
