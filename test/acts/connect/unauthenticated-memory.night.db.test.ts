/** The memory that unauthenticated sockets make a hub hold, measured in a process of its own. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeDaemonToken } from "../../../src/auth/daemon-token.ts"
import { unauthenticatedBytesMax, unauthenticatedMax } from "../../../src/limits/sockets.ts"
import { type HubProcess, hubProcess } from "../../support/hub-process.ts"
import { frame, openRaw, type RawSocket } from "../../support/raw-websocket-connection.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

const pieceBytes = 65_536
const frameBytes = 7_900_000
const piece = Buffer.alloc(pieceBytes, 0x61)

let hub: HubProcess
beforeAll(async () => {
  hub = await hubProcess(testFolder("strangers"), undefined, {})
  await hub.start()
})
afterAll(() => hub.kill())

const wrongAuth = JSON.stringify({ type: "auth", data: { token: makeDaemonToken(), protocol: 1 } })

/** Memory of the process that is not given back. */
const residentBytes = (): number =>
  1_024 * Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${hub.pid()}/status`, "utf8"))![1])

type How = "announced" | "fragments" | "leaves" | "after auth"

/**
 * Of one message, all but its end: announced at once, or in fragments; `leaves` with a close frame instead of an end,
 * or sends it while its token is looked up.
 */
const fill = async (socket: RawSocket, how: How): Promise<void> => {
  if (how === "announced" || how === "after auth") {
    const part = frame(1, Buffer.alloc(8_000_000, 0x61)).subarray(0, frameBytes)
    socket.write(how === "announced" ? part : Buffer.concat([frame(1, wrongAuth), part]))
    return
  }
  for (let sent = 0; sent < frameBytes; sent += pieceBytes) {
    socket.write(frame(sent === 0 ? 1 : 0, piece, { final: false }))
  }
  if (how === "leaves") socket.write(frame(8, Buffer.of(3, 232)))
}

/** Fills one socket after the other, none of which closes by itself; says the most that the hub held of them. */
const peakOf = async (howOf: (n: number) => How): Promise<{ readonly peak: number; readonly opened: number }> => {
  const before = residentBytes()
  const sockets: Array<RawSocket> = []
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, residentBytes() - before)
  }
  const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
  for (let n = 0; n < 4 * unauthenticatedMax; n++) {
    const address = addresses[n % addresses.length]!
    const socket = await openRaw(hub.url, "", address, true).catch(() => undefined)
    if (socket !== undefined) {
      sockets.push(socket)
      await fill(socket, howOf(n))
      await until("it is sent", () => socket.unsent() === 0 || socket.isClosed())
    }
    look()
  }
  look()
  for (const socket of sockets) socket.destroy()
  return { peak, opened: sockets.length }
}

describe("sockets whose token is not known", () => {
  it("hold no more than 256 MB together, whatever part of a frame they send and however they go", async () => {
    const { peak, opened } = await peakOf((n) => (n % 7 === 0 ? "leaves" : n % 2 === 0 ? "announced" : "fragments"))
    expect(opened).toBeGreaterThan(unauthenticatedMax)
    expect(peak).toBeGreaterThan((unauthenticatedMax - 1) * frameBytes)
    expect(peak).toBeLessThanOrEqual(unauthenticatedBytesMax)
  })

  it("hold no more than that although they send a frame while their token is looked up", async () => {
    await hub.kill()
    await hub.start()
    const { peak, opened } = await peakOf(() => "after auth")
    expect(opened).toBeGreaterThan(unauthenticatedMax)
    expect(peak).toBeLessThanOrEqual(unauthenticatedBytesMax)
  })
})
