/**
 * One attacker as a program of its own. Owns its receiver of webhooks and when it begins and ends; the attack owns what
 * it does.
 */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { follow, type Route } from "../load/dial.ts"
import { type AttackName, attacks } from "./all.ts"
import type { Attack, Counts } from "./attack.ts"
import type { SiteKind } from "./besieged.ts"
import { serve } from "./serve.ts"
import type { Holder } from "./site.ts"

/** What it may be asked. */
export interface AttackerJobs {
  /** Which attack it is; gives the port of its receiver. */
  readonly take: { readonly asks: AttackName; readonly gives: number }
  /** Attacks until it is told to end. */
  readonly strike: {
    readonly asks: {
      readonly route: Route
      readonly kind: SiteKind
      readonly tiny: boolean
      readonly holders: ReadonlyArray<Holder>
    }
    readonly gives: Counts
  }
  /** How often something has shown that the hub met the attack. */
  readonly reached: { readonly asks: null; readonly gives: number }
  /** What the scenario does beside the attack is done. */
  readonly done: { readonly asks: null; readonly gives: null }
  readonly end: { readonly asks: null; readonly gives: null }
}

let attack: Attack | undefined
let isOver = false
let reached = 0
const ended = Promise.withResolvers<void>()
const meanwhile = Promise.withResolvers<void>()
const received = new Set<Socket>()

serve<AttackerJobs>({
  take: async (name) => {
    const taken: Attack = attacks[name]
    attack = taken
    const server = createServer((socket) => {
      received.add(socket)
      socket.on("close", () => received.delete(socket))
      taken.receive?.(socket)
    })
    await new Promise<void>((stands) => server.listen(0, "127.0.0.1", stands))
    return (server.address() as AddressInfo).port
  },
  strike: async ({ route, kind, tiny, holders }) => {
    follow(route)
    const over = (): boolean => isOver
    const reach = (): void => void reached++
    const counts = await attack!.strike({
      url: new URL(route.url),
      kind,
      tiny,
      holder: holders[0],
      holders,
      over,
      reach,
      ended: ended.promise,
      meanwhile: meanwhile.promise
    })
    for (const socket of received) socket.destroy()
    return counts
  },
  reached: () => reached,
  done: () => {
    meanwhile.resolve()
    return null
  },
  end: () => {
    isOver = true
    ended.resolve()
    return null
  }
})
