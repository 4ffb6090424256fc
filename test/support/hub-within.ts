/**
 * A hub in this process, where a test speaks to hubs as to processes and harms none: its start costs a tenth. Owns its
 * life; judges nothing.
 */
import { Result } from "effect"
import { perform } from "../../src/admin/operations.ts"
import { loadSettings } from "../../src/config/load.ts"
import { busSilenceMillisMax } from "../../src/limits/nodes.ts"
import { layerAt } from "../../src/store/sql/database.ts"
import { startHub, type TestHub } from "./hub.ts"
import type { HubProcess } from "./hub-process.ts"

/** As `hubProcess`, of the same environment; it can be told to stop, not killed. */
export const hubWithin = (dataDir: string, databaseUrl: string, more: Record<string, string>): HubProcess => {
  const read = loadSettings({
    HUB_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    HUB_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    ...more
  })
  if (Result.isFailure(read)) throw read.failure
  const settings = { ...read.success, host: "127.0.0.1", port: 0, logLevel: "none" } as const
  let hub: TestHub | undefined
  const stop = async (): Promise<number> => {
    await hub?.close()
    hub = undefined
    return 0
  }
  const its = (): TestHub => {
    if (hub === undefined) throw new Error("the hub does not run")
    return hub
  }
  return {
    get url() {
      return its().url
    },
    start: async () => {
      const database = { settings, layer: layerAt(settings), close: async () => undefined }
      // as a process has it
      hub = await startHub({ database, settings, busSilenceMillis: busSilenceMillisMax })
    },
    stop,
    kill: async () => {
      throw new Error("only a process can be killed")
    },
    runs: () => hub !== undefined,
    pid: () => process.pid,
    said: () => "",
    operate: async (request) => {
      const answer = await its().inside(perform(request))
      if (!answer.ok) throw new Error(answer.refusal)
      return answer.answer
    }
  }
}
