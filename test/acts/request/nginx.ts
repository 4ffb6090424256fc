/**
 * The proxy of compose.yaml in front of nodes of a test. Owns what is said where there is none: then the tests that
 * need it are left out.
 */
import { hasFront, startFront } from "../../../bench/servers/front.ts"

/** Whether there is an nginx to test with. */
export const hasNginx = hasFront("nginx")
if (!hasNginx) process.stderr.write("No nginx on this machine: the test of the proxy is left out.\n")

/** A running proxy. */
export interface TestNginx {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts it before these nodes (`host:port`). */
export const startNginx = async (nodes: ReadonlyArray<string>): Promise<TestNginx> => {
  const { url, stop } = await startFront("nginx", { nodes })
  return { url, close: stop }
}
