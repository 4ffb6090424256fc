/** The thread of the embedded database that is begun before it is asked for. */
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { endPrepared, prepareWorker, takeWorker } from "../../../../src/store/embedded/prepared-worker.ts"

const closed = async (worker: ReturnType<typeof takeWorker>): Promise<unknown> => {
  worker.postMessage({ close: true })
  const [code] = await once(worker, "exit")
  return code
}

describe("a thread that was begun ahead", () => {
  it("and has no database yet ends by itself where it is told to, and is not stopped while it begins", async () => {
    prepareWorker()
    expect(await closed(takeWorker())).toBe(0)
  })

  it("is told so where it was not taken, and waited for: the next one is another", async () => {
    prepareWorker()
    await endPrepared()
    expect(await closed(takeWorker())).toBe(0)
    await endPrepared()
  })
})
