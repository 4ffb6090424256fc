/**
 * A program that is asked over IPC (generator.ts speaks to it), from its own side. Owns the reading of orders and the
 * replies.
 */
import type { AskedJobs } from "../fleet/generator.ts"

/** Does what is asked of each job until the parent is gone. */
export const serve = <J extends AskedJobs<J>>(
  jobs: {
    readonly [K in keyof J]: (asks: J[K]["asks"]) => Promise<J[K]["gives"]> | J[K]["gives"]
  }
): void => {
  process.on("message", (order: { readonly id: number; readonly job: keyof J; readonly asks: never }) => {
    const reply = (answer: object): void => void process.send?.({ id: order.id, ...answer })
    Promise.resolve()
      .then(() => jobs[order.job](order.asks))
      .then(
        (gives) => reply({ gives: gives ?? null }),
        (error: unknown) => reply({ failed: error instanceof Error ? error.message : String(error) })
      )
  })
  process.on("disconnect", () => process.exit(0))
  process.on("SIGTERM", () => process.exit(0))
}
