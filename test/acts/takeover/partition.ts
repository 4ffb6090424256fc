/**
 * One node that alone cannot reach Redis: what its daemons, its callers and the webhook see of it, whatever cuts the
 * line. Owns the course of it and what is held of it.
 */
import { expect } from "vitest"
import type { Nodes } from "../../support/node-processes.ts"
import { until } from "../../support/until.ts"

/** How the line is cut. */
export interface Line {
  readonly cut: () => void
  readonly heal: () => void
  /** Told what happened when. */
  readonly say?: (what: string) => void
}

/** Node 1 is the one that is cut off; node 2 is killed meanwhile. */
export const partition = async (hub: Nodes, { cut, heal, say = () => {} }: Line): Promise<void> => {
  const [one, apart, doomed] = [0, 1, 2]
  const [near, far, gone] = [await hub.daemon(one), await hub.daemon(apart), await hub.daemon(doomed)]
  const all = [near, far, gone]
  for (const daemon of all) await until("it came", () => hub.told(daemon).includes("connect"))
  expect(await hub.command(one, far)).toBe(200)

  cut()
  say("the line is cut")
  await until("it is on its own", async () => (await hub.command(apart, near)) === 503)
  say("the node knows that it is on its own")
  // one that died after the line broke is found dead: by then so would be the one that lives
  await hub.nodes[doomed]!.kill()
  gone.stop()
  await until("the dead one's daemon is told of", () => hub.told(gone).includes("disconnect"))
  say("the daemon of a node that died meanwhile is told of")
  expect(await hub.command(apart, far)).toBe(200)
  expect(await hub.command(one, far)).toBe(503)
  say("a command to the cut off node's daemon is answered by the others")
  expect(await hub.command(one, near)).toBe(200)
  expect(hub.told(far)).toEqual(["connect"])
  expect(far.closes()).toEqual([])

  heal()
  say("the line is whole")
  for (const daemon of [near, far]) {
    for (const node of [one, apart]) {
      await until("it is commanded from anywhere", async () => (await hub.command(node, daemon)) === 200)
    }
    expect(daemon.closes()).toEqual([])
  }
  say("all are commanded from anywhere")
  for (const daemon of [near, far]) {
    daemon.leave()
    await until("it left", () => hub.told(daemon).includes("disconnect"))
  }
  for (const daemon of all) expect(hub.told(daemon)).toEqual(["connect", "disconnect"])
}
