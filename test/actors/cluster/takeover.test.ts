/** When a node takes over what others held, and when it states its own connections again. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Takeover } from "../../../actors/cluster/takeover.ts"
import { nodeLeaseMillis, nodeStepDaemons } from "../../../src/limits/nodes.ts"
import type { OtherNode } from "../../../src/store/daemons/nodes.ts"
import type { HeldDaemon } from "../../../src/store/daemons/presence.ts"
import { given } from "../../support/given.ts"
import { snapshot } from "../../support/snapshots.ts"

const away = Effect.fail("the store is away")
const dead = { node: "dead", alive: false, onBus: false }

/** A node, and what it sees and does. */
const makeNode = () => {
  const state = {
    now: 0,
    isAway: false,
    lapsed: false,
    others: [] as ReadonlyArray<OtherNode>,
    /** What each node holds, by its steps. */
    steps: [] as Array<ReadonlyArray<string>>,
    held: [] as ReadonlyArray<HeldDaemon>,
    releasing: new Set<string>(),
    roster: new Map<string, number>(),
    doubt: false
  }
  const [taken, adopted, reclaimed, silent] = [
    [] as Array<string>,
    [] as Array<string>,
    [] as Array<string>,
    [] as Array<unknown>
  ]
  const unlessAway = <A>(value: () => A): Effect.Effect<A, unknown> =>
    Effect.suspend((): Effect.Effect<A, unknown> => (state.isAway ? away : Effect.succeed(value())))
  const entry = (daemonId: string, epoch: number) => ({ snapshot: snapshot([], { daemonId, epoch }) })
  const takeover = new Takeover({
    nodes: { beat: () => unlessAway(() => state.lapsed), others: () => unlessAway(() => state.others) },
    store: {
      takeOver: (_: string, from: string) =>
        unlessAway(() => {
          taken.push(from)
          return (state.steps.shift() ?? []).map((daemonId) => snapshot([], { daemonId }))
        }),
      heldBy: (_: string, after: string, limit: number) =>
        unlessAway(() => state.held.filter(({ daemonId }) => daemonId > after).slice(0, limit)),
      heldSnapshots: (_: string, ids: ReadonlyArray<string>) =>
        unlessAway(() => ids.map((daemonId) => snapshot([], { daemonId })))
    },
    writer: {
      node: "me",
      exclusive: (effect: Effect.Effect<unknown>) => effect,
      isReleasing: (id: string) => state.releasing.has(id),
      takeDoubt: () => {
        const was = state.doubt
        state.doubt = false
        return was
      },
      doubt: () => {
        state.doubt = true
      }
    },
    roster: {
      adopt: ({ daemonId }: { readonly daemonId: string }) => void adopted.push(daemonId),
      reclaim: (id: string) => unlessAway(() => void reclaimed.push(id)),
      all: () => [...state.roster].map(([id, epoch]) => entry(id, epoch)),
      find: (id: string) => (state.roster.has(id) ? entry(id, state.roster.get(id)!) : undefined)
    },
    timers: { monotonic: () => state.now },
    alone: false,
    onBus: () => true,
    silent: (nodes: ReadonlyArray<string>) => void silent.push(nodes)
  } as never)
  const run = (effect: Effect.Effect<unknown, unknown>) => Effect.runSyncExit(effect)._tag
  return {
    state,
    taken,
    adopted,
    reclaimed,
    silent,
    beat: () => run(takeover.beat),
    round: () => run(takeover.round),
    reachable: () => takeover.reachable()
  }
}

/** One that knows of these others, and whose own heartbeats were in time for a lease. */
const steadyNode = (...others: ReadonlyArray<OtherNode>) => {
  const node = makeNode()
  node.state.others = others
  node.beat()
  node.state.now = nodeLeaseMillis
  return node
}

describe("the daemons of a dead node", () => {
  given(makeNode)("are not taken over before this node's own heartbeats were in time for a lease", (node) => {
    node.state.others = [dead]
    node.beat()
    node.state.now = nodeLeaseMillis - 1
    node.round()
    expect(node.taken).toEqual([])
    node.state.now = nodeLeaseMillis
    node.round()
    expect(node.taken).toEqual(["dead"])
  })

  for (const [what, harm] of [
    ["failed", { isAway: true }],
    ["found its lease ended", { lapsed: true }]
  ] as const) {
    given(() => steadyNode(dead))(`are left for another lease after a heartbeat of this node ${what}`, (node) => {
      Object.assign(node.state, harm)
      node.beat()
      Object.assign(node.state, { isAway: false, lapsed: false, now: 2 * nodeLeaseMillis - 1 })
      node.round()
      expect(node.taken).toEqual([])
      node.state.now = 2 * nodeLeaseMillis
      node.round()
      expect(node.taken).toEqual(["dead"])
    })
  }

  it("are looked for among this node's own when the answer of a takeover is lost", () => {
    const node = steadyNode(dead)
    node.state.isAway = true
    expect(node.round()).toBe("Failure")
    expect(node.state.doubt).toBe(true)
  })
})

it("a node whose lease had ended states all its connections again, and once more where that failed", () => {
  const node = makeNode()
  node.state.roster = new Map([
    ["a", 1],
    ["b", 2]
  ])
  node.round()
  expect(node.reclaimed).toEqual([])
  node.state.lapsed = true
  node.beat()
  node.state.isAway = true
  expect(node.round()).toBe("Failure")
  node.state.isAway = false
  node.round()
  node.round()
  expect(node.reclaimed).toEqual(["a", "b"])
})

it("a node whose lease had ended states them too where the answer that said so was lost, and not after a shorter silence", () => {
  const node = makeNode()
  node.state.roster = new Map([["a", 1]])
  const beatAgain = (now: number): void => {
    node.state.isAway = true
    node.beat()
    Object.assign(node.state, { isAway: false, now })
    node.beat()
    node.round()
  }
  beatAgain(nodeLeaseMillis)
  expect(node.reclaimed).toEqual([])
  beatAgain(2 * nodeLeaseMillis + 1)
  expect(node.reclaimed).toEqual(["a"])
  // each heartbeat since was answered
  node.state.now = 4 * nodeLeaseMillis
  node.beat()
  node.round()
  expect(node.reclaimed).toEqual(["a"])
})

describe("daemons that the store says this node holds", () => {
  const withStrays = () => {
    const node = makeNode()
    node.state.held = [
      { daemonId: "a", epoch: 2 },
      { daemonId: "b", epoch: 2 },
      { daemonId: "c", epoch: 2 },
      { daemonId: "d", epoch: 2 }
    ]
    node.state.roster = new Map([
      ["a", 2],
      ["b", 1]
    ])
    node.state.releasing.add("c")
    return node
  }

  it("are taken into the roster on doubt: those it lacks or has an older connection of, unless their end waits", () => {
    const node = withStrays()
    node.round()
    expect(node.adopted).toEqual([])
    node.state.doubt = true
    node.round()
    expect(node.adopted).toEqual(["b", "d"])
    node.round()
    expect(node.adopted).toEqual(["b", "d"])
  })

  given(withStrays)("stay in doubt while the store does not answer", (node) => {
    Object.assign(node.state, { doubt: true, isAway: true })
    expect(node.round()).toBe("Failure")
    expect(node.state.doubt).toBe(true)
  })

  given(makeNode)(`are looked through ${nodeStepDaemons} at a time`, (node) => {
    const ids = Array.from({ length: nodeStepDaemons + 1 }, (_, at) => String(at).padStart(4, "0"))
    node.state.held = ids.map((daemonId) => ({ daemonId, epoch: 1 }))
    node.state.doubt = true
    node.round()
    expect(node.adopted).toEqual(ids)
  })
})

given(makeNode)("the other nodes cannot be asked when they are dead, or without a bus for two heartbeats", (node) => {
  const others = [
    { node: "alive", alive: true, onBus: true },
    { node: "quiet", alive: true, onBus: false }
  ]
  node.state.others = [...others, { ...dead, onBus: true }]
  node.beat()
  node.beat()
  expect(node.silent).toEqual([["dead"], ["quiet", "dead"]])
  expect(node.reachable()).toEqual(["alive"])
})
