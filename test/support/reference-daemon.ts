/** A reference daemon inside a test, before a fake hub. Owns starting both and ending all of it; asserts nothing. */
import { existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { type Clock, realClock } from "../../daemon/clock.ts"
import { Daemon } from "../../daemon/daemon.ts"
import type { Provider } from "../../daemon/providers.ts"
import type { UpdateMeans } from "../../daemon/updates.ts"
import { admission, type FakeHub, type SeenConnection, type SeenFrame, startFakeHub } from "./fake-hub.ts"
import { testFolder } from "./temporary-folder.ts"
import { until } from "./until.ts"
import { type VirtualClock, virtualClock } from "./virtual-clock.ts"

const agentFile = fileURLToPath(new URL("test-agent.ts", import.meta.url))

/** The test agent, under a type of one's own. */
export const testProvider = (type = "tester", ...args: ReadonlyArray<string>): Provider => ({
  type,
  category: type.startsWith("cli") ? "cli" : "acp",
  command: process.execPath,
  args: [agentFile, ...args],
  displayName: "Test agent",
  from: "/"
})

/** A daemon and its hub. */
export interface Rig {
  readonly hub: FakeHub
  readonly daemon: Daemon
  readonly lines: ReadonlyArray<string>
  readonly refusals: ReadonlyArray<string>
  /**
   * The nth connection, counted from 1, of a daemon in virtual time that was lost: its pauses pass, and no time while
   * it connects, however long that really takes.
   */
  readonly back: (number: number) => Promise<SeenConnection>
  readonly close: () => Promise<void>
}

/** Starts both. */
export const startRig = async (options: {
  readonly clock?: Clock | VirtualClock
  readonly providers?: ReadonlyArray<Provider>
  readonly admit?: ((frame: SeenFrame) => unknown) | null
  readonly base?: string
  readonly policyFile?: string
  readonly updates?: UpdateMeans
}): Promise<Rig> => {
  const clock: Clock = options.clock ?? realClock
  const { advance } = clock as Partial<VirtualClock>
  const hub = await startFakeHub(options.admit)
  const lines: Array<string> = []
  const refusals: Array<string> = []
  const daemon = new Daemon({
    url: hub.url,
    token: "the-token",
    name: "Nick",
    providers: options.providers ?? [testProvider(), testProvider("cli-tester")],
    base: options.base ?? tmpdir(),
    clock,
    policyFile: options.policyFile,
    updates: options.updates,
    log: (what, facts) => lines.push(`${what} ${JSON.stringify(facts ?? {})}`),
    refused: (reason) => refusals.push(reason)
  })
  daemon.start()
  const stopped = async (): Promise<void> => {
    let over = false
    void daemon.stop().then(() => {
      over = true
    })
    await until("the daemon stops", () => {
      advance?.(20)
      return over
    })
  }
  return {
    hub,
    daemon,
    lines,
    refusals,
    back: async (number) => {
      await until(`connection ${number}`, () => {
        if (hub.connections.length >= number) return true
        if (lines.findLast((line) => /^connecting |"againInMs"/u.test(line))?.includes("againInMs")) advance?.(100)
        return false
      })
      return hub.connection(number)
    },
    close: async () => {
      await stopped()
      await hub.close()
    }
  }
}

/** In virtual time and a folder of its own, once its hub has admitted it; that one pings nobody. */
export const startAdmitted = async (
  options: { readonly providers?: (base: string) => ReadonlyArray<Provider>; readonly updates?: UpdateMeans } = {}
): Promise<{
  readonly rig: Rig
  readonly clock: VirtualClock
  readonly hub: SeenConnection
  readonly base: string
}> => {
  const [base, clock] = [testFolder("daemon"), virtualClock()]
  const providers = options.providers?.(base)
  const admit = () => ({ ...admission, heartbeatMs: 36_000_000 })
  const { updates } = options
  const rig = await startRig({
    clock,
    base,
    admit,
    ...(providers !== undefined && { providers }),
    ...(updates !== undefined && { updates })
  })
  const hub = await rig.hub.connection(1)
  await until("the admission", () => rig.lines.some((line) => line.startsWith("connected")))
  return { rig, clock, hub, base }
}

/** Whether a process runs. One that has ended and that nobody has collected yet does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return !existsSync("/proc/self/stat")
  }
}
