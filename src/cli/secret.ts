/** A password that does not stand on the command line, where every user of the machine could read it. Owns that reading. */
import { readFileSync } from "node:fs"
import type { AdminRequest } from "../admin/requests.ts"

const standardInput = 0

/** The request with the first line of stdin as its password, when it asks for that with `-`. */
export const passwordFromInput = (request: AdminRequest): AdminRequest => {
  if (!("password" in request) || request.password !== "-") return request
  return { ...request, password: readFileSync(standardInput, "utf8").split(/\r?\n/u)[0]! }
}
