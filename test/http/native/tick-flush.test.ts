/** The flush after a tick, and the flushes within a crowded one. */
import { afterEach, describe, expect, it } from "vitest"
import { type SocketNeeds, serveSockets } from "../../../http/native/daemon-socket.ts"
import type { Server } from "../../../http/native/server.ts"
import { flushIfCrowded, flushLater } from "../../../http/native/tick-flush.ts"
import { callbacksBeforeFlushMax } from "../../../src/limits/edge.ts"

const written: Array<string> = []
const writer = (name: string) => ({ flush: () => void written.push(name) })
const tickOver = () => new Promise((resolve) => setImmediate(resolve))
afterEach(async () => {
  await tickOver()
  written.length = 0
})

type Behaviour = Parameters<Server["app"]["ws"]>[1]

/**
 * The callbacks of daemon sockets, as the library is given them; `open` stands for what a connection does at its
 * beginning.
 */
const callbacks = (open: () => unknown) => {
  let given: Behaviour | undefined
  const app = {
    ws: (_: string, behaviour: Behaviour) => {
      given = behaviour
    }
  }
  const needs = {
    connections: { open },
    timers: { after: () => ({ clear: () => undefined }) },
    clock: { monotonicTimeNanosUnsafe: () => 0n }
  }
  serveSockets({ app, route: () => undefined } as unknown as Server, needs as unknown as SocketNeeds)
  const native = { getUserData: () => ({ socket: {} }), end: () => undefined }
  return { open: () => given!.open!(native as never) }
}

describe("what is to be written", () => {
  it("goes out after the tick, in the order of asking", async () => {
    flushLater(writer("a"))
    flushLater(writer("b"))
    expect(written).toEqual([])
    await tickOver()
    expect(written).toEqual(["a", "b"])
  })

  it("goes out in the middle of a tick in which a crowd comes or goes, once, and what follows after it", async () => {
    flushLater(writer("a"))
    for (let count = 1; count < callbacksBeforeFlushMax; count++) flushIfCrowded()
    expect(written).toEqual([])
    flushIfCrowded()
    expect(written).toEqual(["a"])
    flushLater(writer("b"))
    await tickOver()
    expect(written).toEqual(["a", "b"])
  })

  it("waits for as many callbacks again: those in which nothing waited do not count", async () => {
    for (let count = 0; count < callbacksBeforeFlushMax * 2; count++) flushIfCrowded()
    flushLater(writer("a"))
    flushIfCrowded()
    expect(written).toEqual([])
    await tickOver()
    expect(written).toEqual(["a"])
  })

  it.each([
    ["taken", {}],
    ["put off", 1_000]
  ])("by a socket that is %s is among what a crowded tick writes in its middle", async (_, connection) => {
    let opened = 0
    const { open } = callbacks(() => {
      flushLater(writer(`${++opened}`))
      return connection
    })
    for (let count = 0; count < callbacksBeforeFlushMax; count++) open()
    expect(written).toHaveLength(callbacksBeforeFlushMax)
  })

  it("of one does not keep another's from going out when it fails", async () => {
    flushLater({
      flush: () => {
        throw new Error("closing")
      }
    })
    flushLater(writer("b"))
    await tickOver()
    expect(written).toEqual(["b"])
  })
})
