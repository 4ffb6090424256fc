/** What an exchange does with the native response, over a scripted one. */
import { expect, it } from "vitest"
import type { Exchanges } from "../../../http/native/exchange-needs.ts"
import { NativeExchange } from "../../../http/native/native-exchange.ts"
import { PausedConnections } from "../../../http/native/paused-connections.ts"
import { takeShare } from "../../../http/native/requests-per-turn.ts"
import { Head, json } from "../../../http/pipeline/response.ts"
import { requestsBeforeLook } from "../../../src/limits.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

type Native = ConstructorParameters<typeof NativeExchange>

const played = () => {
  const told: Array<string> = []
  let corked = false
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
      return [true, true]
    },
    onAborted: () => {},
    pause: () => told.push("pause"),
    resume: () => told.push("resume")
  } as unknown as Native[0]
  const req = { getQuery: () => "", getHeader: () => "", forEach: () => {} } as unknown as Native[1]
  const paused = new PausedConnections<Native[0]>()
  const shared = {
    commonHead: () => new Head(""),
    draining: false,
    live: 0,
    onIdle: () => {},
    paused
  } as unknown as Exchanges
  return { told, paused, exchange: new NativeExchange(res, req, shared, "GET", { parameters: 0, headers: [] }) }
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
