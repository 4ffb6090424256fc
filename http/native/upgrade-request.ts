/**
 * Decides whether a request is upgraded to a daemon's socket. Owns the answer: it checks the handshake and whether the
 * hub drains, looks up a token that comes with the request before the upgrade, and otherwise requires room among the
 * sockets whose token comes in a frame.
 */
import type { Connections } from "../../actors/connections/connections.ts"
import { overloadedFor, type UpgradePass } from "../../actors/connections/upgrade-admission.ts"
import { type HubError, Overloaded } from "../../src/errors.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { problem } from "../pipeline/problem.ts"
import type { Answer, Head } from "../pipeline/response.ts"
import { forwardedOf, requestIdOf } from "./request-head.ts"
import type { Server } from "./server.ts"
import { countAnswer, statusLine } from "./status-lines.ts"
import { type Handshake, type Origins, readHandshake } from "./websocket-handshake.ts"

type Response = Parameters<Server["exchange"]>[0]
type Request = Parameters<Server["exchange"]>[1]

/** The services that upgrades need. */
export interface UpgradeNeeds {
  readonly connections: Pick<Connections["Service"], "admits" | "check" | "retryAfterMillis">
  readonly origins: Origins
  /** Logs that the store failed. */
  readonly storeFailed: (failure: HubError, where: string, requestId: string) => void
  /** Upgrades a response within its own callback, or outside of any callback and cork. */
  readonly upgrade: (res: Response, opening: SocketOpening) => void
}

/** An admitted request, ready to become a socket. */
export interface SocketOpening extends Handshake {
  readonly extensions: string
  readonly requestId: string
  readonly address: string
  /** Whom its connection counts for; undefined of a proxy's. */
  readonly holder: string | undefined
  /** Absent: its token comes in a frame. */
  readonly pass?: UpgradePass
}

/**
 * An upgrade that waits for the look-up of its token. Owns the native response meanwhile: it is refused once or
 * upgraded once, unless the peer disconnects, which cancels the look-up.
 */
class PendingUpgrade {
  readonly #res: Response
  readonly #requestId: string
  #isOver = false
  #isInCallback = true
  #cancel = (): void => {}

  constructor(res: Response, requestId: string) {
    this.#res = res
    this.#requestId = requestId
    res.onAborted(() => {
      if (this.#isOver) return
      this.#isOver = true
      count("hub_requests_aborted_total")
      this.#cancel()
    })
  }

  /** Registers what a disconnect cancels. */
  onAbort(cancel: () => void): void {
    this.#cancel = cancel
  }

  /** The request's own callback has ended. */
  callbackEnded(): void {
    this.#isInCallback = false
  }

  /** Refuses the upgrade and closes the connection. */
  refuse(answer: Answer, common: Head): void {
    if (this.#isOver) return
    this.#isOver = true
    countAnswer(answer.status)
    const res = this.#res
    res.cork(() => {
      res.writeStatus(statusLine(answer.status))
      res.writeHeader("x-request-id", this.#requestId + common.text + answer.head.text)
      res.end(String(answer.body ?? ""), true)
    })
  }

  /**
   * Upgrades, unless the peer has disconnected: within the request's own callback, or in a turn of its own, because
   * inside another request's callback the library would confuse the two connections. Never in a cork: the upgraded
   * socket may keep its address in memory, and the cork's end would treat it as a response and may close it.
   */
  accept(upgrade: () => void, abandoned: () => void): void {
    const proceed = (): void => {
      if (this.#isOver) return abandoned()
      this.#isOver = true
      upgrade()
    }
    if (this.#isInCallback) proceed()
    else setImmediate(proceed)
  }
}

const isPass = (outcome: UpgradePass | HubError): outcome is UpgradePass => "token" in outcome

/** Serves the requests for a socket. */
export const serveUpgrades = (server: Server, needs: UpgradeNeeds) => {
  const { connections } = needs
  const busy = new Overloaded({ retryAfter: overloadRetrySeconds })

  const refuse = (res: Response, req: Request, failure: HubError): void => {
    const exchange = server.exchange(res, req)
    exchange.answer(problem(failure, exchange.requestId), true)
    exchange.callbackEnded()
  }

  const check = (res: Response, opening: SocketOpening, token: string, origin: string): void => {
    const { requestId, address } = opening
    const pending = new PendingUpgrade(res, requestId)
    const answer = (failure: HubError): void =>
      pending.refuse(problem(failure, requestId), server.exchanges.commonHead(origin))
    const cancel = connections.check(token, address, (outcome) => {
      if (!isPass(outcome)) {
        if (outcome._tag !== "StoreFailed") return answer(outcome)
        needs.storeFailed(outcome, "the check of a daemon's token", requestId)
        return answer(busy)
      }
      if (server.exchanges.draining) {
        outcome.end()
        return answer(busy)
      }
      pending.accept(() => needs.upgrade(res, { ...opening, pass: outcome }), outcome.end)
    })
    pending.onAbort(cancel)
    pending.callbackEnded()
  }

  return (res: Response, req: Request): void => {
    if (server.exchanges.draining) return refuse(res, req, busy)
    const handshake = readHandshake(req, needs.origins)
    if ("_tag" in handshake) return refuse(res, req, handshake)
    const peer = Buffer.from(res.getRemoteAddressAsText()).toString("latin1")
    const { addresses } = server.exchanges
    const { bucket: address } = addresses.client(peer, forwardedOf(req))
    const holder = addresses.singlePeer(peer)
    const extensions = req.getHeader("sec-websocket-extensions")
    const opening: SocketOpening = { ...handshake, extensions, requestId: requestIdOf(req), address, holder }
    if (handshake.token !== undefined) return check(res, opening, handshake.token, req.getHeader("origin"))
    if (!connections.admits(address)) return refuse(res, req, overloadedFor(connections.retryAfterMillis()))
    needs.upgrade(res, opening)
  }
}
