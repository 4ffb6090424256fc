/**
 * When the commands that a reconnected daemon no longer has count as lost: not before it shows that it holds the
 * connection.
 */
import { describe, expect } from "vitest"
import { newId } from "../../../src/domain/ids.ts"
import type { CommandTable } from "../../simulation/store/tables.ts"
import { connect, type Enrolled, type FakePeer, type makeWorld, settle } from "../../support/daemon-services.ts"
import { inWorld } from "../../support/with-daemon-services.ts"

type World = ReturnType<typeof makeWorld>

/** A durable command that an earlier connection was sent. */
const sentBefore = (world: World, { accountId, daemonId }: Enrolled, more: Partial<CommandTable> = {}): string => {
  const commandId = newId("command")
  world.tables.commands.set(commandId, {
    commandId,
    accountId,
    daemonId,
    type: "screenshot",
    state: "pending",
    durable: true,
    cancellable: true,
    epoch: 0,
    createdAt: 0,
    deadlineAt: 3_600_000,
    cancelAt: undefined,
    finishedAt: undefined,
    omitted: undefined,
    error: undefined,
    code: undefined,
    result: undefined,
    ...more
  })
  return commandId
}
const stateOf = (world: World, commandId: string) => world.tables.commands.get(commandId)?.state
const connected = (of: Enrolled, named: ReadonlyArray<string> = []) =>
  connect(of.token, { capabilities: ["durable_commands"], commands: named })

const signs: ReadonlyArray<readonly [string, (peer: FakePeer, named: string) => void]> = [
  ["a frame", (peer) => peer.say("status_report", { timestamp: 1, sessions: [] })],
  ["a result", (peer, named) => peer.say("command_result", { id: named, success: true })],
  ["the pong to the ping behind `auth_ok`", (peer) => peer.link.heard(peer.pings[0])],
  ["a large frame", (peer) => peer.link.receiveLarge(new Uint8Array(70_000))],
  ["a frame that is too large", (peer) => peer.link.receiveOversized(" ".repeat(64))],
  ["a frame that the socket does not take", (peer) => peer.link.closed(1006, true)]
]

describe("a durable command that a reconnected daemon does not name", () => {
  for (const [name, give] of signs) {
    inWorld(`is lost with ${name}, and one that it names is not`, function* (world) {
      const enrolled = world.enrol()
      const [gone, named] = [sentBefore(world, enrolled), sentBefore(world, enrolled)]
      const peer = yield* connected(enrolled, [named])
      expect([stateOf(world, gone), stateOf(world, named)]).toEqual(["pending", "pending"])
      give(peer, named)
      yield* settle
      expect(stateOf(world, gone)).toBe("lost")
      expect(stateOf(world, named)).toBe(name === "a result" ? "succeeded" : "pending")
    })
  }

  inWorld("is not lost by a ping, by a pong to another ping, or by the end of the connection", function* (world) {
    const enrolled = world.enrol()
    const gone = sentBefore(world, enrolled)
    const first = yield* connected(enrolled)
    for (const payload of [undefined, "", "epoch 0", `${first.pings[0]} `]) first.link.heard(payload)
    first.link.closed(1006)
    yield* settle
    expect(stateOf(world, gone)).toBe("pending")
    const second = yield* connected(enrolled)
    second.link.heard(first.pings[0])
    yield* settle
    expect(stateOf(world, gone)).toBe("pending")
    second.link.heard(second.pings[0])
    yield* settle
    expect(stateOf(world, gone)).toBe("lost")
  })

  inWorld("is looked for once per connection", function* (world) {
    const enrolled = world.enrol()
    const peer = yield* connected(enrolled)
    peer.link.heard(peer.pings[0])
    yield* settle
    const later = sentBefore(world, enrolled)
    peer.say("status_report", { timestamp: 1, sessions: [] })
    peer.link.heard(peer.pings[0])
    yield* settle
    expect(stateOf(world, later)).toBe("pending")
  })
})
