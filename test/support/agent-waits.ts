/** Calls that wait for the only agent of a scripted daemon, and what that daemon does meanwhile. Asserts nothing. */
import { Effect } from "effect"
import { Roster } from "../../actors/presence/roster.ts"
import { connectedDaemon, inTurn, reported } from "./connected-daemon.ts"
import type { HubAnswer, TestHub } from "./hub.ts"
import type { Peer, PeerCommand } from "./scripted-daemon.ts"
import { until } from "./until.ts"
import { turns } from "./virtual-hub-clock.ts"

/** A daemon with one session, `s1`, which the hub knows, and its owner's calls. */
export type Mine = Awaited<ReturnType<typeof connectedDaemon>>

/** A new one. */
export const knownDaemon = async (hub: TestHub): Promise<Mine> => {
  const mine = await connectedDaemon(hub)
  await until("its agent is known", async () => (await mine.status()).agents.length === 1)
  return mine
}

/** The path of a shortcut to that session. */
export const shortcut = ({ daemonId }: Pick<Mine, "daemonId">, rest: string): string =>
  `/api/v1/shortcuts/${daemonId}:session:s1/${rest}`

/** A message to it. */
export const say = (mine: Mine, query: string): Promise<HubAnswer> =>
  mine.post(shortcut(mine, `chat${query}`), { message: "go" })

/** That message in its chat, and the answer of the agent. */
export const user = { id: "m1", role: "user", text: "go" }
export const said = { id: "m2", role: "assistant", text: "Done." }
export const prompt = { promptId: "p1", message: "Run it?", buttons: ["Yes"] }

/** The next command, which must be of this type. */
export const take = async (peer: Peer, type: string): Promise<PeerCommand> => {
  const command = await peer.nextCommand()
  if (command.type !== type) throw new Error(`a command ${command.type} came, and no ${type}`)
  return command
}

/** Its daemon reports the session with this status, and the hub has read it. */
export const show = async (mine: Mine, status: string, more: object = {}): Promise<void> => {
  mine.peer.report([reported("s1", { status, ...more })])
  await inTurn(mine.peer)
}

/** Whether an answer has not come after the event loop has turned. */
export const pending = async (answer: Promise<HubAnswer>): Promise<boolean> => {
  let come = false
  void answer.then(() => {
    come = true
  })
  await turns(20)
  return !come
}

/** How many wait for a change of the daemon on this hub. */
export const watched = (hub: TestHub, daemonId: string): Promise<number> =>
  hub.inside(Effect.map(Roster, ({ watchers }) => watchers.of(daemonId)))
