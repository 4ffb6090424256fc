/** One node that alone cannot reach Redis: a proxy stalls its line. Real processes. */
import { it } from "vitest"
import { partition, startDivided } from "./redis-partition.ts"

it("a node without Redis among nodes that have it keeps its daemons, of whom nobody is told that they are gone, and is part of the hub again afterwards", async () => {
  const { hub, line } = await startDivided("127.0.0.1")
  await partition(hub, { cut: line.stall, heal: line.mend })
})
