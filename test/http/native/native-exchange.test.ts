/** What an exchange does with the native response, over a scripted one. */
import { expect, it } from "vitest"
import { BodiesPerTurn } from "../../../http/native/bodies-per-turn.ts"
import type { Exchanges } from "../../../http/native/exchange-needs.ts"
import { NativeExchange } from "../../../http/native/native-exchange.ts"
import { PausedConnections } from "../../../http/native/paused-connections.ts"
import { takeShare } from "../../../http/native/requests-per-turn.ts"
import { UnreadAnswers } from "../../../http/native/unread-answers.ts"
import { Head, json, jsonBytes } from "../../../http/pipeline/response.ts"
import { bodyBytesPerTurnMax, requestsBeforeLook } from "../../../src/limits.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

type Native = ConstructorParameters<typeof NativeExchange>

/** `finishes`: the system takes all of an answer at once. */
const played = (finishes = true, method = "GET") => {
  const told: Array<string> = []
  let corked = false
  let abort = () => {}
  const tell = (what: string) => told.push(corked ? what : `${what} uncorked`)
  const res = {
    cork: (write: () => void) => {
      corked = true
      write()
      corked = false
    },
    writeStatus: () => tell("status"),
    writeHeader: () => tell("head"),
    tryEnd: () => {
      tell("end")
      return [finishes, finishes]
    },
    endWithoutBody: () => tell("end"),
    onWritable: () => {},
    onAborted: (heard: () => void) => {
      abort = heard
    },
    pause: () => told.push("pause"),
    resume: () => told.push("resume")
  } as unknown as Native[0]
  const req = { getQuery: () => "", getHeader: () => "", forEach: () => {} } as unknown as Native[1]
  const paused = new PausedConnections<Native[0]>()
  const bodyTurns = new BodiesPerTurn<Native[0]>()
  const shared = {
    commonHead: () => new Head(""),
    draining: false,
    live: 0,
    onIdle: () => {},
    answers: new UnreadAnswers(),
    addresses: { of: () => ({ bucket: "192.0.2.1" }) },
    paused,
    bodyTurns
  } as unknown as Exchanges
  const exchange = new NativeExchange(res, req, shared, method, { parameters: 0, headers: [] })
  const holdBody = () => bodyTurns.take(res, bodyBytesPerTurnMax)
  return { told, paused, exchange, holdBody, abort: () => abort() }
}

it("an exchange writes its answer in one piece also within the request's own callback, where a full buffer may have gone out", () => {
  const { exchange, told } = played()
  for (let nth = 0; nth < requestsBeforeLook; nth++) takeShare()
  exchange.answer(json(201, {}))
  exchange.callbackEnded()
  expect(told).toEqual(["status", "head", "end"])
})

it("an exchange has its connection unread from when it begins to wait until its answer is written", async () => {
  const { exchange, told, paused } = played()
  exchange.callbackEnded()
  expect([told, paused.size]).toEqual([["pause"], 1])
  exchange.answer(json(201, {}))
  await turns()
  expect([told, paused.size]).toEqual([["pause", "resume", "status", "head", "end"], 0])
})

it("an answer lets go of its memory once its last byte is taken, its reader has left, or nobody waits for it", async () => {
  const released: Array<string> = []
  const answer = (of: string) => jsonBytes(Buffer.from("{}"), [], () => released.push(of))
  const whole = played()
  whole.exchange.answer(answer("taken"))
  expect(released).toEqual(["taken"])
  whole.exchange.answer(answer("a second one"))
  expect(released).toEqual(["taken", "a second one"])
  const slow = played(false)
  slow.exchange.callbackEnded()
  slow.exchange.answer(answer("unread"))
  await turns()
  expect(released).toHaveLength(2)
  slow.abort()
  expect(released.slice(2)).toEqual(["unread"])
  const gone = played()
  gone.exchange.callbackEnded()
  gone.exchange.answer(answer("nobody's"))
  gone.abort()
  await turns()
  expect(released.slice(3)).toEqual(["nobody's"])
  played(true, "HEAD").exchange.answer(answer("of which only the length is sent"))
  expect(released.slice(4)).toEqual(["of which only the length is sent"])
})

it("a connection whose body waits for a later turn is read again once the exchange is answered, and left alone once it is gone", () => {
  const [answered, gone] = [played(), played()]
  for (const { exchange, holdBody } of [answered, gone]) {
    exchange.stay()
    holdBody()
  }
  answered.exchange.answer(json(413, {}))
  gone.abort()
  expect([answered.told.slice(0, 2), gone.told]).toEqual([["pause", "resume"], ["pause"]])
})
