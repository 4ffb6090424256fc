/**
 * Commands that outlive their call, from both ends of a hub under virtual time: a daemon that answers when it is told
 * to, and its owner. Owns the hub of a test file; asserts nothing.
 */
import { type Owned, ownedDaemon, reported } from "./connected-daemon.ts"
import { type HubAnswer, useHub } from "./hub.ts"
import type { Peer } from "./scripted-daemon.ts"
import { until } from "./until.ts"

/** Every capability that such commands may need. */
export const keeping = ["durable_commands", "command_cancel"]

/** Who calls, and for which daemon. */
export type Caller = Pick<Owned, "daemonId" | "key">

/** How a command is started. */
interface Start {
  readonly body?: object
  readonly headers?: Record<string, string>
  readonly route?: string
}

/** Registers the start and the end of the hub with the test file that calls it. */
export const keptCommands = () => {
  const hub = useHub({ virtual: true })

  const read = ({ key }: Pick<Owned, "key">, commandId: string): Promise<HubAnswer> =>
    hub.request("GET", `/api/v1/commands/${commandId}`, { key })
  const endOf = async (mine: Caller, commandId: string): Promise<HubAnswer["body"]> => {
    const { body } = await read(mine, commandId)
    return body.state === "pending" ? undefined : body
  }
  return {
    hub,
    /** A daemon of a new account, connected. */
    connected: async (capabilities: ReadonlyArray<string> = keeping) => {
      const mine = await ownedDaemon(hub)
      const peer = await mine.connect({ auth: { capabilities }, report: [reported("s1")] })
      return { ...mine, peer }
    },
    /** Sends a command without waiting for its answer. */
    start: ({ daemonId, key }: Caller, { body, headers, route = "command" }: Start = {}): Promise<HubAnswer> =>
      hub.request("POST", `/api/v1/daemons/${daemonId}/${route}`, {
        key,
        body: body ?? { type: "screenshot", payload: {} },
        headers: { prefer: "respond-async", ...headers }
      }),
    read,
    /** What it is once it has ended. */
    ended: (mine: Caller, commandId: string): Promise<HubAnswer["body"]> =>
      until("the command ends", () => endOf(mine, commandId)),
    /** The same of one that only time ends. */
    endedInTime: (mine: Caller, commandId: string): Promise<HubAnswer["body"]> =>
      until("time ends the command", async () => {
        await hub.advance(1_000)
        return endOf(mine, commandId)
      }),
    /** The ids that the hub acknowledges next. */
    acknowledged: (peer: Peer): Promise<ReadonlyArray<string>> =>
      peer.nextFrame("result_ack").then(({ data }) => data.ids)
  }
}
