/**
 * What may befall a hub of several nodes, as steps that are drawn at random, and what must hold after them. Owns the
 * steps and the rules; draws nothing and asserts nothing.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { StoreFailed } from "../../../../src/errors.ts"
import { breathe, startVirtualHub, type VirtualHub } from "../../../support/virtual-hub.ts"

const nodesMax = 4
const daemons = 2

const place = fc.nat({ max: nodesMax - 1 })
const which = fc.nat({ max: daemons - 1 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("dial" as const), daemon: which, node: place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("hangUp" as const),
      daemon: which,
      end: fc.constantFrom("newest" as const, "oldest" as const),
      code: fc.constantFrom(1000, 1006)
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("command" as const), daemon: which, node: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), node: place, late: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("mend" as const), node: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose" as const), node: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), node: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stop" as const), node: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drain" as const), node: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("flush" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("storeless" as const), node: place, is: fc.boolean() })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("deaf" as const), node: place, is: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      millis: fc.constantFrom(250, 1_000, 3_000, 8_000, 20_000)
    })
  }
)

/** A step. */
export type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** How many nodes, and what befalls them. */
export const befalls = fc.tuple(fc.integer({ min: 2, max: nodesMax }), fc.array(step, { maxLength: 25, size: "max" }))

/** Does one. */
const perform = (hub: VirtualHub, step: Step, nodes: number): Effect.Effect<unknown, StoreFailed> => {
  const at = "node" in step ? step.node % nodes : 0
  const node = hub.nodes[at]!
  const { line } = node
  switch (step.do) {
    case "dial":
      return hub.dial(hub.daemons[step.daemon]!, at)
    case "hangUp":
      return Effect.andThen(
        Effect.sync(() => hub.hangUp(hub.daemons[step.daemon]!, step.end, step.code)),
        breathe
      )
    case "command":
      return hub.command(hub.daemons[step.daemon]!, at)
    case "cut":
      return Effect.sync(() => line.cut(step.late))
    case "mend":
      return Effect.sync(() => line.mend())
    case "lose":
      return Effect.sync(() => line.lose())
    case "kill":
    case "stop":
      return Effect.andThen(hub.stop(at, step.do === "kill" ? "killed" : "stopped"), hub.start(at))
    case "drain":
      return Effect.andThen(hub.drain(at, (at + 1) % nodes), hub.start(at))
    case "flush":
      return Effect.sync(() => hub.redis.flush())
    case "storeless":
      return Effect.sync(() => {
        node.storeless = step.is
      })
    case "deaf":
      return Effect.sync(() => {
        node.deaf = step.is
      })
    case "pass":
      return hub.pass(step.millis)
  }
}

const alternates = (told: ReadonlyArray<string>): boolean =>
  told.every((word, at) => word === (at % 2 === 0 ? "connected" : "disconnected"))

/** Everything mended, and all that waits concluded. */
const heal = (hub: VirtualHub): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const node of hub.nodes) {
      node.line.mend()
      node.storeless = false
      node.deaf = false
    }
    // what a daemon has forgotten its node finds out
    for (const { sockets } of hub.daemons) {
      for (const socket of sockets) {
        if (socket.live || socket.over) continue
        socket.over = true
        socket.peer.link.closed(1006)
      }
    }
    yield* hub.pass(40_000)
  })

/**
 * What is wrong, in words; nothing when a daemon has one owner, its times online were told once, and each command went
 * out once.
 */
const wrongs = (hub: VirtualHub): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const daemon of hub.daemons) {
    const { name } = daemon
    const told = hub.told(daemon)
    const owners = hub.owners(daemon)
    const holder = hub.holder(daemon) ?? undefined
    if (!alternates(told)) found.push(`${name} was told ${told.join(" ")}`)
    if (owners.length > 1) found.push(`${name} is on ${owners.join(" and ")}`)
    if ((told.at(-1) === "connected") !== owners.length > 0) {
      found.push(`${name} is on ${owners.join() || "no node"} and was told ${told.join(" ")}`)
    }
    if (holder !== owners[0]) found.push(`${name} is on ${owners.join() || "no node"}, and recorded on ${holder}`)
  }
  for (const [mark, times] of hub.sent()) if (times > 1) found.push(`${mark} went out ${times} times`)
  return found
}

/** Lets it befall a hub, heals it, and says what is wrong then. */
export const befall = (nodes: number, steps: ReadonlyArray<Step>): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const hub = yield* startVirtualHub(nodes, daemons)
    for (const one of steps) yield* perform(hub, one, nodes)
    yield* heal(hub)
    const found = wrongs(hub)
    yield* hub.end()
    return found
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)
