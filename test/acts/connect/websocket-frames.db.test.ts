/**
 * docs/daemon-protocol.md: the wire by RFC 6455. The cases are those of Autobahn (1 to 7 and 10), told by hand; as this
 * socket is no echo, `unsupported` serves as one: it names the type of the frame that came.
 */
import { describe, expect, it } from "vitest"
import { controlsPerSecondMax } from "../../../src/limits/sockets.ts"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { frame, openRaw, type RawSocket } from "../../support/raw-websocket-connection.ts"
import { useStarted } from "../../support/use-started.ts"

const [more, text, close, ping, pong] = [0, 1, 8, 9, 10]

const hub = useHub({ virtual: true })
const mine = useStarted(() => ownedDaemon(hub))

const admitted = async (): Promise<RawSocket> => {
  const socket = await openRaw(hub.url, mine.token)
  socket.write(
    frame(text, '{"type":"auth","data":{"protocol":1,"instanceId":"i","version":"1","hostname":"h","platform":"p"}}')
  )
  await socket.next(text)
  return socket
}
const named = (type: string, pad = ""): string => JSON.stringify({ type, data: pad === "" ? {} : { pad } })
const bytes = (value: string): Buffer => Buffer.from(value)
const cutAt = (value: Buffer, ...at: ReadonlyArray<number>): ReadonlyArray<Buffer> =>
  [0, ...at].map((from, n) => value.subarray(from, at[n] ?? value.length))
const fragments = (parts: ReadonlyArray<Buffer>, between: ReadonlyArray<Buffer> = []): Buffer =>
  Buffer.concat(
    parts.flatMap((part, n) => [
      frame(n === 0 ? text : more, part, { final: n === parts.length - 1 }),
      ...(n < parts.length - 1 ? between : [])
    ])
  )
const greek = bytes(named("κόσμε-𐍈-\u{10ffff}-\uffff"))

/** Name as in Autobahn's list, what is sent, the type that comes back. */
const taken: ReadonlyArray<readonly [string, Buffer, string]> = [
  ["1.1.1 an empty payload member", frame(text, named("e")), "e"],
  ...[125, 126, 127, 128, 65_535, 65_536].map(
    (size) => [`1.1.2-8 a message of ${size} bytes`, frame(text, named("n", "x".repeat(size - 28))), "n"] as const
  ),
  ["5.3 two fragments in one write", fragments(cutAt(bytes(named("two")), 5)), "two"],
  ["5.6 a ping between fragments", fragments(cutAt(bytes(named("p")), 5), [frame(ping, "hi")]), "p"],
  ["5.8 an unasked pong between fragments", fragments(cutAt(bytes(named("q")), 5), [frame(pong, "hi")]), "q"],
  ["5.19 five fragments with pings", fragments(cutAt(bytes(named("five")), 2, 4, 6, 8), [frame(ping, "")]), "five"],
  [
    "6.1.3 an empty fragment in the middle",
    fragments([bytes(named("m").slice(0, 4)), bytes(""), bytes(named("m").slice(4))]),
    "m"
  ],
  ["6.2.1 text of two, three and four bytes a sign", frame(text, greek), JSON.parse(greek.toString()).type],
  [
    "6.2.3 the same, each byte a fragment",
    fragments([...greek].map((byte) => Buffer.of(byte))),
    JSON.parse(greek.toString()).type
  ],
  ["9.1.1 64 KiB", frame(text, named("k", "x".repeat(65_536))), "k"],
  [
    "9.3.1 1 MB in fragments of 64 KiB",
    fragments(
      cutAt(bytes(named("f", "x".repeat(1_000_000))), ...Array.from({ length: 15 }, (_, n) => (n + 1) * 65_536))
    ),
    "f"
  ],
  ["10.1.1 a message cut anywhere by the network", frame(text, named("cut", "y".repeat(65_500))), "cut"]
]

const bad = (value: ReadonlyArray<number>): Buffer => Buffer.from(value)

/** What RFC 6455 forbids. */
const forbidden: ReadonlyArray<readonly [string, Buffer]> = [
  ["2.5 a ping of 126 bytes", frame(ping, "x".repeat(126))],
  ["7.3.6 a close of 126 bytes", frame(close, Buffer.concat([bad([3, 232]), bytes("x".repeat(124))]))],
  ...[0x40, 0x20, 0x10].map(
    (bit) => [`3.${bit} reserved bit ${bit}`, frame(text, named("r"), { reserved: bit })] as const
  ),
  ["3.6 a ping with a reserved bit", frame(ping, "", { reserved: 0x20 })],
  ...[3, 4, 5, 6, 7].map((code) => [`4.1 opcode ${code}`, frame(code, "")] as const),
  ...[11, 12, 13, 14, 15].map((code) => [`4.2 opcode ${code}`, frame(code, "")] as const),
  ["5.1 a ping in fragments", Buffer.concat([frame(ping, "a", { final: false }), frame(more, "b")])],
  ["5.2 a pong in fragments", Buffer.concat([frame(pong, "a", { final: false }), frame(more, "b")])],
  ["5.9 a continuation of nothing", frame(more, "non")],
  ["5.12 an unfinished continuation of nothing", frame(more, "non", { final: false })],
  ["5.18 a message within another", Buffer.concat([frame(text, '{"', { final: false }), frame(text, "}")])],
  ...(
    [
      ["6.3.1 a surrogate in the middle", [0xce, 0xba, 0xed, 0xa0, 0x80, 0x65]],
      ["6.8.1 a sequence of five bytes", [0xf8, 0x88, 0x80, 0x80, 0x80]],
      ["6.10.3 above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
      ["6.12.1 a lone continuation byte", [0x80]],
      ["6.14.1 a lone first byte", [0xc0]],
      ["6.14.6 one that is cut short", [0xe2, 0x82]],
      ["6.16.1 0xFE", [0xfe]],
      ["6.18.1 an overlong slash", [0xc0, 0xaf]],
      ["6.20.1 a high surrogate", [0xed, 0xa0, 0x80]]
    ] as const
  ).map(([name, value]) => [name, frame(text, bad(value))] as const),
  ["6.4.1 no UTF-8 over two fragments", fragments([bad([0xce, 0xba, 0xf4]), bad([0x90, 0x80, 0x80])])]
]

describe("a frame on the wire", () => {
  it.each(taken)("P3: %s is taken", async (_, sent, type) => {
    const socket = await admitted()
    for (let at = 0; at < sent.length; at += 60_000) socket.write(sent.subarray(at, at + 60_000))
    expect(JSON.parse((await socket.next(text)).toString())).toEqual({ type: "unsupported", data: { type } })
    socket.destroy()
  })

  it.each(forbidden)("P79: %s cuts the connection off", async (_, sent) => {
    const socket = await admitted()
    socket.write(sent)
    await socket.closed
    expect(socket.frames.filter(({ code }) => code === close)).toEqual([])
  })

  it.each(["", "Hello", "x".repeat(125)])("2.1-4: a ping with %j is answered with its payload", async (payload) => {
    const socket = await admitted()
    socket.write(frame(ping, payload))
    expect((await socket.next(pong)).toString()).toBe(payload)
    socket.destroy()
  })

  it.each([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011])(
    "7.7: a close with %i is answered with it",
    async (code) => {
      const socket = await admitted()
      socket.write(frame(close, Buffer.of(code >> 8, code & 255)))
      expect((await socket.next(close)).readUInt16BE(0)).toBe(code)
      socket.destroy()
    }
  )

  it("P80: is cut off as the next of too many pings or pongs in a second, and not before", async () => {
    for (const code of [ping, pong]) {
      const socket = await admitted()
      for (let n = 0; n < controlsPerSecondMax; n++) socket.write(frame(code, ""))
      socket.write(frame(text, named("still")))
      expect((await socket.next(text)).toString()).toContain("still")
      socket.write(frame(code, ""))
      await socket.closed
    }
  })
})
