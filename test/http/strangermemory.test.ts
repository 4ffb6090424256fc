/** What sockets whose token is not known make a hub hold, measured on a process of its own. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { strangersBytesMax, strangersMax } from "../../src/limits/sockets.ts"
import { testFolder } from "../support/folder.ts"
import { type HubProcess, hubProcess } from "../support/hubprocess.ts"
import { frame, openRaw, type RawSocket } from "../support/rawsocket.ts"
import { until } from "../support/until.ts"

const pieceBytes = 65_536
const frameBytes = 7_900_000
const piece = Buffer.alloc(pieceBytes, 0x61)

let hub: HubProcess
beforeAll(async () => {
  hub = await hubProcess(testFolder("strangers"), undefined, {})
  await hub.start()
})
afterAll(() => hub.kill())

/** Memory of the process that is not given back. */
const residentBytes = (): number =>
  1_024 * Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${hub.pid()}/status`, "utf8"))![1])

/** Of one message, all but its end: announced at once, or in fragments; `leaves` with a close frame instead of an end. */
const fill = async (socket: RawSocket, how: "announced" | "fragments" | "leaves"): Promise<void> => {
  if (how === "announced") {
    const whole = frame(1, Buffer.alloc(8_000_000, 0x61))
    socket.write(whole.subarray(0, frameBytes))
    return
  }
  for (let sent = 0; sent < frameBytes; sent += pieceBytes) {
    socket.write(frame(sent === 0 ? 1 : 0, piece, { final: false }))
  }
  if (how === "leaves") socket.write(frame(8, Buffer.of(3, 232)))
}

describe("sockets whose token is not known", () => {
  it("hold no more than 256 MB together, whatever part of a frame they send and however they go", async () => {
    const before = residentBytes()
    const sockets: Array<RawSocket> = []
    let peak = 0
    const look = (): void => {
      peak = Math.max(peak, residentBytes() - before)
    }
    const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    for (let n = 0; n < 4 * strangersMax; n++) {
      const address = addresses[n % addresses.length]!
      const socket = await openRaw(hub.url, "", address).catch(() => undefined)
      if (socket !== undefined) {
        sockets.push(socket)
        await fill(socket, n % 7 === 0 ? "leaves" : n % 2 === 0 ? "announced" : "fragments")
        await until("it is sent", () => socket.unsent() === 0 || socket.isClosed())
      }
      look()
    }
    look()
    expect(sockets.length).toBeGreaterThan(strangersMax)
    expect(peak).toBeGreaterThan((strangersMax - 1) * frameBytes)
    expect(peak).toBeLessThanOrEqual(strangersBytesMax)
    for (const socket of sockets) socket.destroy()
  })
})
