/** A stream's bounded buffer, over a sink that the test blocks and drains. */
import { describe, expect, it } from "vitest"
import { openOutlet } from "../../../http/native/stream-writer.ts"
import { streamBufferBytesMax } from "../../../src/limits.ts"
import { given } from "../../support/given.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

const begin = () => {
  const told: Array<string> = []
  const sink = { blocked: false, drained: (): unknown => undefined }
  const { outlet, gone } = openOutlet(
    {
      write: (chunk) => {
        told.push(chunk.length > 40 ? `${chunk.length} characters` : chunk)
        return !sink.blocked
      },
      onWritable: (handler) => {
        sink.drained = () => handler(0)
      },
      cork: (write) => write(),
      end: () => told.push("end"),
      close: () => told.push("close")
    },
    () => told.push("start"),
    () => told.push("over")
  )
  return { told, sink, outlet, gone }
}

describe("a stream", () => {
  given(begin)("starts without a write, so that the peer has the headers at once", async ({ told }) => {
    await turns()
    expect(told).toEqual(["start"])
  })

  given(begin)("writes what a tick collected in one piece", async ({ told, outlet }) => {
    expect([outlet.write("a"), outlet.write("b"), outlet.write("c")]).toEqual(["sent", "sent", "sent"])
    await turns()
    expect(told).toEqual(["start", "abc"])
  })

  it("keeps what is written while the peer does not read, and goes on when it does", async () => {
    const { told, sink, outlet } = begin()
    sink.blocked = true
    outlet.write("a")
    await turns()
    expect(outlet.write("b")).toBe("buffered")
    await turns()
    expect(told).toEqual(["start", "a"])
    expect(outlet.buffered()).toBe(2)
    sink.blocked = false
    sink.drained()
    await turns()
    expect(told).toEqual(["start", "a", "b"])
    expect(outlet.buffered()).toBe(0)
  })

  given(begin)("is cut off past its bound, once", async ({ told, sink, outlet }) => {
    sink.blocked = true
    const half = "x".repeat(streamBufferBytesMax / 2)
    outlet.write(half)
    await turns()
    expect(outlet.write(half)).toBe("buffered")
    expect(outlet.write("y")).toBe("closed")
    expect(outlet.write("z")).toBe("closed")
    outlet.end()
    await turns()
    expect(told).toEqual(["start", `${half.length} characters`, "over", "close"])
  })

  given(begin)("hands over what waits before it ends", async ({ told, sink, outlet }) => {
    sink.blocked = true
    outlet.write("a")
    await turns()
    outlet.write("b")
    outlet.end()
    expect(outlet.write("c")).toBe("closed")
    sink.blocked = false
    sink.drained()
    await turns()
    expect(told).toEqual(["start", "a", "b", "end", "over"])
  })

  given(begin)("touches nothing after the peer is gone", async ({ told, outlet, gone }) => {
    await turns()
    outlet.write("a")
    gone()
    outlet.end()
    await turns()
    expect(told).toEqual(["start", "over"])
  })
})
