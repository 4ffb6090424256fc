/**
 * The load of the endurance bench: numbered events at a steady rate until it is told to end, each to every endpoint,
 * with what arrived counted by number, so that what comes twice counts once. Owns what is sent and when; starts no
 * server and judges nothing.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { SimulatedDaemon } from "../fleet/daemon.ts"
import { type Arrivals, endpoints, nowMicros } from "./deliveries.ts"

const turnMillis = 10
/** Events sent and not acknowledged; more: the next one waits, and falls behind its moment. */
const unacknowledgedMax = 2_000
/** Nothing new for this long: what has not arrived by then never will (a retry comes after 6 s at the latest). */
const silenceMillisMax = 60_000
const drainLookMillis = 100

/** A load that runs. */
export interface Endurance {
  /** Events sent so far. */
  readonly sent: () => number
  /** Sends nothing more; ends when all has arrived, or no more comes. Gives the deliveries that never arrived. */
  readonly end: () => Promise<number>
}

/** Deliveries of numbered events that a receiver had, each once. */
export const different = async (receiver: string): Promise<number> =>
  Number(await (await fetch(`${receiver}/different`)).text())

/** How long deliveries took since this was last asked. */
export const lap = async (receiver: string): Promise<Arrivals> =>
  (await (await fetch(`${receiver}/lap`)).json()) as Arrivals

/** Waits until so many have arrived; gives how many are missing once no more come. */
const missing = async (receiver: string, expected: number): Promise<number> => {
  let [last, since] = [0, performance.now()]
  for (;;) {
    const arrived = await different(receiver)
    if (arrived > last) [last, since] = [arrived, performance.now()]
    if (arrived >= expected || performance.now() - since > silenceMillisMax) return expected - arrived
    await pause(drainLookMillis)
  }
}

/** Starts a load of so many deliveries a second. */
export const endure = (
  receiver: string,
  daemons: ReadonlyArray<SimulatedDaemon>,
  deliveriesPerSecond: number
): Endurance => {
  let [sent, acknowledged, over] = [0, 0, false]
  const send = (): void => {
    const daemon = daemons[sent % daemons.length]!
    const targetSessionId = `t${nowMicros()}-${sent}`
    sent++
    void daemon.event({ event: "agent:generating_completed", targetSessionId, duration: 12 }).then(() => {
      acknowledged++
    })
  }
  const sending = (async () => {
    const started = performance.now()
    while (!over) {
      const due = Math.floor(((performance.now() - started) / 1_000) * (deliveriesPerSecond / endpoints))
      while (sent < due && sent - acknowledged < unacknowledgedMax) send()
      await pause(turnMillis)
    }
  })()
  return {
    sent: () => sent,
    end: async () => {
      over = true
      await sending
      return missing(receiver, sent * endpoints)
    }
  }
}
