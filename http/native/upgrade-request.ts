/**
 * Who is upgraded to a daemon's socket. Owns the answer to a request for one: the handshake, a hub that drains, a token
 * that comes with it, looked up before anything is upgraded, or a place among those whose token comes in a frame.
 */
import type { Connections } from "../../actors/connections/connections.ts"
import { putOffBy, type UpgradePass } from "../../actors/connections/upgrade-admission.ts"
import { type HubError, Overloaded } from "../../src/errors.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { problem } from "../pipeline/problem.ts"
import { Upgrading } from "./pending-upgrade.ts"
import { forwardedOf, requestIdOf } from "./request-head.ts"
import type { Server } from "./server.ts"
import { type Handshake, type Origins, readHandshake } from "./websocket-handshake.ts"

type Response = Parameters<Server["exchange"]>[0]
type Request = Parameters<Server["exchange"]>[1]

/** What it works with. */
export interface EntryNeeds {
  readonly connections: Pick<Connections["Service"], "admits" | "check" | "putOff">
  readonly origins: Origins
  /** Logs that the store failed. */
  readonly storeFailed: (failure: HubError, where: string, requestId: string) => void
  /** Upgrades a response within its own callback, or outside of any callback and cork. */
  readonly upgrade: (res: Response, opening: Opening) => void
}

/** What becomes a socket. */
export interface Opening extends Handshake {
  readonly extensions: string
  readonly requestId: string
  readonly address: string
  /** Whom its connection counts for; undefined of a proxy's. */
  readonly holder: string | undefined
  /** Absent: its token comes in a frame. */
  readonly pass?: UpgradePass
}

const isPass = (outcome: UpgradePass | HubError): outcome is UpgradePass => "token" in outcome

/** Serves the requests for a socket. */
export const serveEntry = (server: Server, needs: EntryNeeds) => {
  const { connections } = needs
  const busy = new Overloaded({ retryAfter: overloadRetrySeconds })

  const refuse = (res: Response, req: Request, failure: HubError): void => {
    const exchange = server.exchange(res, req)
    exchange.answer(problem(failure, exchange.requestId), true)
    exchange.left()
  }

  const check = (res: Response, opening: Opening, token: string, origin: string): void => {
    const { requestId, address } = opening
    const waiting = new Upgrading(res, requestId)
    const answer = (failure: HubError): void =>
      waiting.refuse(problem(failure, requestId), server.exchanges.always(origin))
    const giveUp = connections.check(token, address, (outcome) => {
      if (!isPass(outcome)) {
        if (outcome._tag !== "StoreFailed") return answer(outcome)
        needs.storeFailed(outcome, "the check of a daemon's token", requestId)
        return answer(busy)
      }
      if (server.exchanges.draining) {
        outcome.end()
        return answer(busy)
      }
      waiting.accept(() => needs.upgrade(res, { ...opening, pass: outcome }), outcome.end)
    })
    waiting.waitsFor(giveUp)
    waiting.leaves()
  }

  return (res: Response, req: Request): void => {
    if (server.exchanges.draining) return refuse(res, req, busy)
    const shake = readHandshake(req, needs.origins)
    if ("_tag" in shake) return refuse(res, req, shake)
    const peer = Buffer.from(res.getRemoteAddressAsText()).toString("latin1")
    const { addresses } = server.exchanges
    const { bucket: address } = addresses.client(peer, forwardedOf(req))
    const holder = addresses.singlePeer(peer)
    const extensions = req.getHeader("sec-websocket-extensions")
    const opening: Opening = { ...shake, extensions, requestId: requestIdOf(req), address, holder }
    if (shake.token !== undefined) return check(res, opening, shake.token, req.getHeader("origin"))
    if (!connections.admits(address)) return refuse(res, req, putOffBy(connections.putOff()))
    needs.upgrade(res, opening)
  }
}
