/** What a node does with its daemons once it has read how they stand, after messages may have been lost. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makePresenceCheck } from "../../../actors/cluster/presence-check.ts"
import type { Standing } from "../../../src/store/daemons/presence.ts"
import { snapshot } from "../../support/snapshots.ts"

const standing = (daemonId: string, more: Partial<Standing> = {}): Standing => ({
  daemonId,
  epoch: 2,
  node: "me",
  revoked: false,
  accountDisabled: false,
  ...more
})

/** A node that has daemons at connection 2, as the store says how they stand. */
const makeNode = (standings: ReadonlyArray<Standing>, ids = standings.map(({ daemonId }) => daemonId)) => {
  const done: Array<string> = []
  const state = { isAway: false, epoch: 2, meanwhile: () => {} }
  const entry = (daemonId: string) => ({ snapshot: snapshot([], { daemonId, epoch: state.epoch }) })
  const check = makePresenceCheck({
    writer: { node: "me", exclusive: (effect: Effect.Effect<unknown>) => effect, doubt: () => void done.push("doubt") },
    store: {
      standings: () =>
        Effect.suspend((): Effect.Effect<ReadonlyArray<Standing>, unknown> => {
          state.meanwhile()
          return state.isAway ? Effect.fail("away") : Effect.succeed(standings)
        })
    },
    roster: {
      all: () => ids.map(entry),
      find: entry,
      ordered: (id: string, why: string) => void done.push(`${why} ${id}`),
      moved: (id: string, epoch: number) => void done.push(`moved ${id} to ${epoch}`),
      reclaim: (id: string) => Effect.sync(() => void done.push(`reclaim ${id}`)),
      tagged: (id: string) => void done.push(`tagged ${id}`)
    }
  } as never)
  const step = () => {
    const exit = Effect.runSyncExit(check.step)
    return exit._tag === "Success" ? exit.value : exit._tag
  }
  return { state, done, step, doubt: check.doubt }
}

describe("a daemon of this node", () => {
  for (const [what, more, does] of [
    ["is left alone where the store has it here", {}, []],
    ["is sent away where it was revoked", { revoked: true }, ["revoked d"]],
    ["is sent away where its account was disabled", { accountDisabled: true }, ["disabled d"]],
    ["moves where a newer connection is elsewhere", { epoch: 3, node: "other" }, ["moved d to 3"]],
    ["is looked for in the store where a newer connection should be here", { epoch: 3 }, ["doubt"]],
    ["is stated again where another node took its connection over", { node: "other" }, ["reclaim d"]],
    ["is stated again where its time online was ended", { node: null }, ["reclaim d"]],
    ["has the tags that its owner gave it", { ownerTags: { tags: {}, version: 1 } }, ["tagged d"]],
    ["is sent away as revoked where the store does not have it any more", undefined, ["revoked d"]]
  ] as const satisfies ReadonlyArray<readonly [string, Partial<Standing> | undefined, ReadonlyArray<string>]>) {
    it(what, () => {
      const node = makeNode(more === undefined ? [] : [standing("d", more)], ["d"])
      node.doubt()
      expect([node.step(), node.done]).toEqual([true, does])
    })
  }

  it("is left alone where another connection came while the store was asked", () => {
    const node = makeNode([standing("d", { revoked: true })])
    node.state.meanwhile = () => {
      node.state.epoch = 3
    }
    node.doubt()
    node.step()
    expect(node.done).toEqual([])
  })

  it("is checked once per doubt, and again where the store gave no answer", () => {
    const node = makeNode([standing("d", { revoked: true })])
    expect(node.step()).toBe(false)
    node.doubt()
    node.state.isAway = true
    expect(node.step()).toBe("Failure")
    node.state.isAway = false
    expect([node.step(), node.step()]).toEqual([true, false])
    expect(node.done).toEqual(["revoked d"])
  })
})
