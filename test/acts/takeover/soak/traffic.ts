/**
 * What goes on meanwhile: events of the daemons, and an integrator who sends commands, of which some are kept and some
 * carry an Idempotency-Key, under which they are sent again until the answer is definite. Owns the calls and their
 * answers; judges nothing.
 */
import { randomUUID } from "node:crypto"
import type { Random } from "../../../../bench/fuzz/random.ts"
import { wait } from "../../../support/hub-process.ts"
import type { SoakWorld } from "./fixture.ts"

/** One answer. */
export interface Answer {
  /** What befell the world as it was asked, and as it was answered. */
  readonly during: readonly [asked: string, answered: string]
  readonly node: number
  /** 0: there was none. */
  readonly status: number
  readonly reason: string
  /** It is that of an earlier call. */
  readonly isReplayed: boolean
}

/** One command that was asked for. */
export interface Order {
  readonly mark: string
  readonly daemonId: string
  /** It was to be kept. */
  readonly isKept: boolean
  readonly hasKey: boolean
  /** Once it is answered 200 or 202. */
  commandId: string | undefined
}

/** All that went on. */
export interface Traffic {
  readonly answers: ReadonlyArray<Answer>
  readonly orders: ReadonlyArray<Order>
  /** The names of the events that were sent. */
  readonly events: ReadonlyArray<string>
  /** Says what befalls the world from now on. */
  readonly now: (during: string) => void
  /** Begins nothing more, and ends with the last answer. */
  readonly stop: () => Promise<void>
}

const eventMillis = 200
const callMillis = 100
const againMillis = 200
const patienceMillis = 30_000
/** A daemon that ends nothing before the end keeps at most so many; it may have 256. */
const waitingMax = 150

interface Replied {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly isReplayed: boolean
}

const post = async (url: string, key: string, order: Order): Promise<Replied> => {
  const answer = await fetch(`${url}/api/v1/daemons/${order.daemonId}/command`, {
    method: "POST",
    signal: AbortSignal.timeout(patienceMillis),
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(order.isKept && { prefer: "respond-async" }),
      ...(order.hasKey && { "idempotency-key": order.mark })
    },
    body: JSON.stringify({
      type: "screenshot",
      payload: { mark: order.mark },
      timeoutSeconds: order.isKept ? 3_600 : 10
    })
  })
  const isReplayed = answer.headers.get("idempotency-replayed") === "true"
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, isReplayed }
}

/** Starts it. */
export const startTraffic = ({ hub, senders, keepers }: SoakWorld, random: Random): Traffic => {
  const answers: Array<Answer> = []
  const orders: Array<Order> = []
  const events: Array<string> = []
  const underWay = new Set<Promise<void>>()
  const waiting = new Map<string, number>()
  const prompt = keepers.slice(0, keepers.length / 2)
  let during = "nothing"
  let stopped = false

  const call = async (order: Order): Promise<number> => {
    const node = random.below(hub.nodes.length)
    const asked = during
    try {
      const { status, body, isReplayed } = await post(hub.nodes[node]!.url, hub.key, order)
      answers.push({ during: [asked, during], node, status, reason: String(body["reason"] ?? ""), isReplayed })
      if (status === 200 || status === 202) order.commandId = String(body["commandId"])
      return status
    } catch {
      answers.push({ during: [asked, during], node, status: 0, reason: "", isReplayed: false })
      return 0
    }
  }
  const place = async (): Promise<void> => {
    const isKept = random.percent(60)
    const chosen = random.of(isKept ? keepers : prompt)
    const isLate = !prompt.includes(chosen)
    const held = waiting.get(chosen.daemonId) ?? 0
    const { daemonId } = isLate && held >= waitingMax ? random.of(prompt) : chosen
    waiting.set(daemonId, (waiting.get(daemonId) ?? 0) + 1)
    const order: Order = { mark: randomUUID(), daemonId, isKept, hasKey: random.percent(50), commandId: undefined }
    orders.push(order)
    for (;;) {
      const status = await call(order)
      if (!order.hasKey || (status !== 0 && status !== 409)) return
      await wait(againMillis)
    }
  }
  const every = async (millis: number, work: () => Promise<void> | undefined): Promise<void> => {
    while (!stopped) {
      const done = work()?.finally(() => underWay.delete(done!))
      if (done !== undefined) underWay.add(done)
      await wait(millis)
    }
  }
  const send = (): undefined => {
    const session = `e${events.length}`
    events.push(session)
    random.of(senders).send({ id: session, session })
  }
  const loops = [every(eventMillis, send), every(callMillis, place)]
  return {
    answers,
    orders,
    events,
    now: (what) => {
      during = what
    },
    stop: async () => {
      stopped = true
      await Promise.all(loops)
      await Promise.all(underWay)
    }
  }
}
