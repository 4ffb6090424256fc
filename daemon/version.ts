/** The version of this daemon. Owns where it is from: what was built knows its own, the sources are of none. */

/** As the hub is told it. */
export const version = process.env["HUB_DAEMON_VERSION"] ?? "0.0.0"
