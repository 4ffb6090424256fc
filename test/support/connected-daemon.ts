/**
 * A daemon of a fresh account under a hub, seen from both ends: its token on one, its owner's key on the other. Owns no
 * assertion.
 */
import type { HubAnswer, TestAccount, TestHub } from "./hub.ts"
import { connectDaemon, type Peer, type PeerFrame, type PeerOptions } from "./scripted-daemon.ts"

/** The daemon and those who call it. */
export interface Owned {
  readonly account: TestAccount
  readonly daemonId: string
  readonly token: string
  readonly key: string
  readonly connect: (options?: PeerOptions) => Promise<Peer & { readonly accepted: PeerFrame }>
  readonly get: (path: string) => Promise<HubAnswer>
  readonly post: (path: string, body: unknown) => Promise<HubAnswer>
  /** The raw command route. */
  readonly command: (type: string, payload?: unknown) => Promise<HubAnswer>
  /** The daemon in the list; undefined when it is not there. */
  readonly listed: () => Promise<Record<string, unknown> | undefined>
  readonly status: () => Promise<HubAnswer["body"]>
}

const scopes = ["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec", "webhook:manage"] as const

/** A new account with one daemon. */
export const ownedDaemon = async (hub: TestHub): Promise<Owned> => {
  const account = await hub.account()
  const { daemonId, token } = await account.daemonToken()
  const key = await account.key(scopes)
  const get = (path: string) => hub.request("GET", path, { key })
  const post = (path: string, body: unknown) => hub.request("POST", path, { key, body })
  return {
    account,
    daemonId,
    token,
    key,
    connect: (options) => connectDaemon(hub, token, options),
    get,
    post,
    command: (type, payload = {}) => post(`/api/v1/daemons/${daemonId}/command`, { type, payload }),
    listed: async () => {
      const { body } = await get("/api/v1/daemons")
      return body.daemons.find(({ id }: { id: string }) => id === daemonId)
    },
    status: async () => (await get(`/api/v1/daemons/${daemonId}/status`)).body
  }
}

/** A session as a daemon reports it. */
export const reported = (id: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  id,
  providerType: "agent-a",
  kind: "agent",
  transport: "acp",
  status: "idle",
  ...more
})

/** The same, connected, with one session, `s1`. */
export const connectedDaemon = async (hub: TestHub) => {
  const mine = await ownedDaemon(hub)
  return { ...mine, peer: await mine.connect({ report: [reported("s1")] }) }
}

/** A frame of an unknown type with exactly so many bytes. */
export const frameOf = (bytes: number, type = "from_the_future"): string => {
  const empty = JSON.stringify({ type, data: { pad: "" } })
  return JSON.stringify({ type, data: { pad: "x".repeat(bytes - empty.length) } })
}

/** Waits until the hub has dealt with everything sent so far: it answers an unknown frame in turn. */
export const inTurn = async (peer: Peer, mark = `mark_${Math.floor(performance.now() * 1_000)}`): Promise<void> => {
  peer.send(mark, {})
  for (;;) {
    const { data } = await peer.nextFrame("unsupported")
    if (data.type === mark) return
  }
}
