/** The proxy of compose.yaml in front of nodes of a test. Owns its start and end. */
import { startFront } from "../../../bench/servers/front.ts"
import { has } from "../../support/machine.ts"

/** Whether there is an nginx to test with. */
export const hasNginx = has.nginx

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
