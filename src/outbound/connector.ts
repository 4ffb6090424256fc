/**
 * undici's way to open a connection. It is loaded when the first one is opened, as a start need not wait for it
 * (`hub bench start`). Owns no connection.
 */
import type { buildConnector } from "undici"

/** undici's `buildConnector` with these options; one that cannot be made fails each connection. */
export const makeConnector = (options: buildConnector.BuildOptions): buildConnector.connector => {
  let made: Promise<buildConnector.connector> | undefined
  return (target, opened) => {
    made ??= import("undici").then(({ buildConnector }) => buildConnector(options))
    // what is thrown in here would end the process
    made.then((connect) => void connect(target, opened)).catch((error: Error) => opened(error, null))
  }
}
