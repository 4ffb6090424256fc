/** How an answer goes out to a reader that takes it slowly or not at all, over a response that the test plays. */
import { expect, it } from "vitest"
import { type BodySink, type Written, writeBody } from "../../../http/native/response-writer.ts"
import { UnreadAnswers } from "../../../http/native/unread-answers.ts"
import { Answer } from "../../../http/pipeline/response.ts"
import { closingAnswerCharsMax } from "../../../src/limits/edge.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

/** A response whose kernel takes so many bytes at first; `takes` lets it take more. */
const played = (room: number, closes = false) => {
  let left = room
  let offset = 0
  let writable: ((offset: number) => boolean) | undefined
  const told: Array<string> = []
  const offer = (piece: string | Uint8Array, total: number): readonly [boolean, boolean] => {
    const bytes = Buffer.byteLength(piece)
    const taken = Math.min(left, bytes)
    left -= taken
    offset += taken
    return [taken === bytes, offset === total]
  }
  const res: BodySink = {
    cork: (write) => write(),
    tryEnd: offer,
    onWritable: (handler) => {
      writable = handler
    },
    close: () => told.push("close"),
    pause: () => {},
    resume: () => {},
    writeHeader: (name, value) => told.push(`${name}: ${value}`),
    end: (body, close) => told.push(`end ${body.length} ${close}`),
    endWithoutBody: () => told.push("end")
  }
  const answers = new UnreadAnswers()
  const written: Written = {
    method: "GET",
    closes,
    gone: false,
    stay: () => {},
    hold: () => {},
    shared: { answers },
    owner: () => "a",
    unread: (one) => answers.add(one),
    settle: () => told.push("settled")
  }
  const takes = (bytes: number): void => {
    left = bytes
    writable!(offset)
  }
  return { res, written, told, answers, takes }
}

it("an answer that the system takes at once is over", () => {
  const { res, written, told, answers } = played(5)
  writeBody(res, new Answer(200, [], "small"), false, written)
  expect([told, answers.size]).toEqual([["settled"], 0])
})

it("an answer of whatever size is not over, and counts as unread, until its reader took the last of it", () => {
  const { res, written, told, answers, takes } = played(2)
  writeBody(res, new Answer(200, [], "small"), false, written)
  expect([told, answers.size]).toEqual([[], 5])
  takes(2)
  expect(told).toEqual([])
  takes(1)
  expect(told).toEqual(["settled"])
})

it("an answer that must end its connection is closed behind by the hub itself, so that unread answers before it keep nothing open", async () => {
  const { res, written, told } = played(0, true)
  writeBody(res, new Answer(400, [], "ü"), true, written)
  await turns()
  expect(told).toEqual(["connection: close\r\ncontent-length: 2\r\n\r\nü", "close"])
})

it("an answer that must end its connection is left to the library to close where it is large", () => {
  const { res, written, told } = played(0, true)
  writeBody(res, new Answer(400, [], "x".repeat(closingAnswerCharsMax + 1)), true, written)
  expect(told).toEqual([`end ${closingAnswerCharsMax + 1} true`, "settled"])
})
