/**
 * The outbox of a daemon over a scripted kernel: what is refused, what is accepted, and when a peer counts as not
 * reading.
 */
import { describe, expect, it } from "vitest"
import { type Native, Outbox } from "../../../http/native/outbox.ts"
import { UnsentFrames } from "../../../http/native/unsent-frames.ts"
import { unsentBytesPerAccountMax, untakenMillisMax } from "../../../src/limits/sockets.ts"
import { idleLooksMax, outboxBytesMax, outboxReserveBytes, readingLookMillis } from "../../../src/limits.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { fc, forAll } from "../../support/properties.ts"

const commandsMax = outboxBytesMax - outboxReserveBytes
const frameHeadBytes = 10

/** A socket whose kernel has so much room, and a wheel that the test turns. */
const scripted = (kernelBytes = 0, unsent = new UnsentFrames(() => 0)) => {
  const frames: Array<string> = []
  const ended: Array<number> = []
  const timers = new Set<() => void>()
  let room = kernelBytes
  let waiting = 0
  const offer = (): number => {
    const taken = Math.min(room, waiting)
    room -= taken
    waiting -= taken
    return waiting === 0 ? 1 : 0
  }
  const native: Native = {
    send: (text) => {
      frames.push(text)
      waiting += Buffer.byteLength(text) + frameHeadBytes
      return offer()
    },
    ping: (payload) => {
      frames.push(`ping ${payload}`)
      return offer()
    },
    cork: (write) => {
      write()
      offer()
    },
    getBufferedAmount: () => waiting,
    end: (code) => void ended.push(code),
    close: () => void ended.push(1006)
  }
  const after = (millis: number, fire: () => void) => {
    expect(millis).toBe(readingLookMillis)
    timers.add(fire)
    return { clear: () => void timers.delete(fire) }
  }
  const outbox = new Outbox({ after }, unsent)
  outbox.native = native
  return {
    outbox,
    frames,
    ended,
    timers,
    /** The peer reads, so that the kernel has room. */
    reads: (bytes: number) => {
      room += bytes
    },
    /** Time passes for looks. */
    look: (times = 1) => {
      for (let at = 0; at < times; at++) {
        for (const fire of [...timers]) {
          timers.delete(fire)
          fire()
        }
        outbox.flush()
      }
    }
  }
}

const full = (outbox: Outbox<Native>): void => {
  expect(outbox.send("c".repeat(commandsMax), true)).toBe("sent")
  outbox.flush()
}

describe("a command that finds no room", () => {
  it("is refused and not sent; who reads what came before takes the next", () => {
    const { outbox, frames, ended, reads, look, timers } = scripted()
    full(outbox)
    const before = counted("hub_frames_dropped_total")
    expect(outbox.send("c", true)).toBe("full")
    outbox.flush()
    expect([frames.length, ended, counted("hub_frames_dropped_total")]).toEqual([1, [], before])
    reads(2 * outboxBytesMax)
    look()
    expect(timers.size).toBe(0)
    expect(outbox.send("c", true)).toBe("sent")
    outbox.flush()
    expect([frames.length, ended]).toEqual([2, []])
  })

  it("leaves room for the frames that cannot be refused, of which one too many is dropped", () => {
    const { outbox, frames } = scripted()
    full(outbox)
    const left = outboxReserveBytes - frameHeadBytes
    expect(outbox.send("a".repeat(left - 1))).toBe("buffered")
    expect(outbox.send("a")).toBe("buffered")
    const before = counted("hub_frames_dropped_total")
    expect(outbox.send("a")).toBe("dropped")
    expect(counted("hub_frames_dropped_total")).toBe(before + 1)
    outbox.flush()
    expect(frames.length).toBe(3)
  })

  it("is none where the kernel takes it all, however much one tick sends", () => {
    const { outbox, frames } = scripted(Number.POSITIVE_INFINITY)
    const command = "c".repeat(1_000_000)
    for (let nth = 0; nth < 100; nth++) expect(outbox.send(command, nth % 2 === 0)).toBe("sent")
    outbox.flush()
    expect(frames.length).toBe(100)
  })
})

describe("daemons of one account that take nothing", () => {
  const eachBytes = 4_000_000
  const crowd = Math.ceil(unsentBytesPerAccountMax / (eachBytes + frameHeadBytes)) - 1

  const crowded = () => {
    const time = { now: 0 }
    const unsent = new UnsentFrames(() => time.now)
    const deaf = Array.from({ length: crowd }, () => scripted(0, unsent))
    for (const { outbox } of deaf) {
      outbox.belongsTo("a")
      outbox.send("c".repeat(eachBytes), true)
      outbox.flush()
    }
    return { time, unsent, deaf, one: scripted(Number.POSITIVE_INFINITY, unsent) }
  }

  it("take the room of a command to another, which is refused, and lose their sockets as the next one comes", () => {
    const { time, deaf, one } = crowded()
    one.outbox.belongsTo("a")
    expect(one.outbox.send("c".repeat(eachBytes), true)).toBe("full")
    time.now = untakenMillisMax
    expect(one.outbox.send("c".repeat(eachBytes), true)).toBe("sent")
    for (const { outbox } of deaf) outbox.flush()
    expect(deaf.map(({ ended }) => ended)).toEqual([[1006], ...deaf.slice(1).map(() => [])])
  })

  it("take no room of another account, nor once their sockets are closed or they have taken all", () => {
    const { unsent, deaf, one } = crowded()
    one.outbox.belongsTo("b")
    expect(one.outbox.send("c".repeat(eachBytes), true)).toBe("sent")
    for (const [at, { outbox, reads }] of deaf.entries()) {
      if (at % 2 === 0) outbox.detach()
      else {
        reads(2 * eachBytes)
        outbox.takenBytes()
        outbox.noteUnsent()
      }
    }
    expect(unsent.size).toBe(0)
  })
})

describe("a ping", () => {
  it("goes behind the frames of its tick, once however often it is asked for", () => {
    const { outbox, frames } = scripted(Number.POSITIVE_INFINITY)
    outbox.send("auth_ok")
    expect([outbox.ping("a"), outbox.ping("b")]).toEqual([true, false])
    outbox.send("command")
    outbox.flush()
    outbox.flush()
    expect(frames).toEqual(["auth_ok", "command", "ping a"])
  })

  it("goes alone where nothing else is queued, and again in a later tick", () => {
    const { outbox, frames } = scripted(Number.POSITIVE_INFINITY)
    for (const payload of ["a", "b"]) {
      expect(outbox.ping(payload)).toBe(true)
      outbox.flush()
    }
    expect(frames).toEqual(["ping a", "ping b"])
  })

  it("goes before a close that follows it, and nowhere once the socket is closed", () => {
    const { outbox, frames, ended } = scripted(Number.POSITIVE_INFINITY)
    outbox.ping("a")
    outbox.close(1000, "over")
    outbox.flush()
    expect([frames, ended]).toEqual([["ping a"], [1000]])
    outbox.detach()
    expect(outbox.ping("b")).toBe(false)
    outbox.flush()
    expect(frames).toEqual(["ping a"])
  })
})

describe("a daemon that left no room", () => {
  it("is closed with 4413 when nothing is taken at three looks, and looked at no more", () => {
    const { outbox, ended, look, timers } = scripted()
    full(outbox)
    expect([outbox.send("c", true), outbox.send("c", true)]).toEqual(["full", "full"])
    expect(timers.size).toBe(1)
    look(idleLooksMax - 1)
    expect(ended).toEqual([])
    look()
    expect([ended, timers.size]).toEqual([[4413], 0])
  })

  it("is not closed while it takes a little now and then, with whatever is sent beside", () => {
    const { outbox, ended, look, reads } = scripted()
    full(outbox)
    outbox.send("c", true)
    for (let round = 0; round < 10; round++) {
      look(idleLooksMax - 1)
      reads(1_000)
      outbox.send("a".repeat(900))
      look()
    }
    expect(ended).toEqual([])
    look(idleLooksMax)
    expect(ended).toEqual([4413])
  })

  it("is closed although small frames still find room", () => {
    const { outbox, ended, look } = scripted()
    full(outbox)
    outbox.send("c", true)
    for (let nth = 0; nth < idleLooksMax; nth++) {
      expect(outbox.send("a")).toBe("buffered")
      look()
    }
    expect(ended).toEqual([4413])
  })

  it("is looked at no more once its socket is closed", () => {
    const { outbox, timers } = scripted()
    full(outbox)
    outbox.send("c", true)
    outbox.detach()
    expect(timers.size).toBe(0)
  })
})

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ bytes: fc.integer({ min: 1, max: 2_000_000 }), refusable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ reads: fc.integer({ min: 0, max: 3_000_000 }) }) },
  { weight: 2, arbitrary: fc.constant("tick" as const) },
  { weight: 1, arbitrary: fc.constant("look" as const) }
)

it("an outbox sends once and in order what it took, nothing that it refused, and holds no more than its bound", () =>
  forAll(200, fc.array(step, { maxLength: 40 }), (steps) => {
    const { outbox, frames, ended, reads, look } = scripted()
    const taken: Array<string> = []
    for (const one of steps) {
      if (one === "tick") outbox.flush()
      else if (one === "look") look()
      else if ("reads" in one) reads(one.reads)
      else {
        const text = "x".repeat(one.bytes)
        const before = outbox.buffered()
        const answer = outbox.send(text, one.refusable)
        if (answer === "sent" || answer === "buffered") taken.push(text)
        else if (ended.length === 0) {
          expect(before + one.bytes).toBeGreaterThan(one.refusable ? commandsMax : outboxBytesMax)
          expect(answer).toBe(one.refusable ? "full" : "dropped")
        }
        expect(outbox.buffered()).toBeLessThanOrEqual(outboxBytesMax + frameHeadBytes * taken.length)
      }
    }
    outbox.flush()
    expect(frames.map(({ length }) => length)).toEqual(taken.map(({ length }) => length))
  }))
