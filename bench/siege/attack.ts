/**
 * What an attack is, and what it works with. Owns the words only: each attack has a file of its own beside this one.
 */
import type { Socket } from "node:net"
import type { SiteKind } from "./besieged.ts"
import { addressGroups, addressOf, type Holder, type Wanted } from "./site.ts"

/** What an attack came to, for the reader. */
export type Counts = Readonly<Record<string, number>>

/** What an attack is told. */
export interface Target {
  readonly url: URL
  /** Only what a laptop does in a second. */
  readonly tiny: boolean
  /** What is besieged. */
  readonly kind: SiteKind
  /** What the attacker holds; undefined where it has no account. */
  readonly holder: Holder | undefined
  /** The same of each of its accounts, where it has several. */
  readonly holders: ReadonlyArray<Holder>
  /** Something shows that the hub met the attack: it answered, closed, or read what was sent. */
  readonly reach: () => void
  /** The attack's time is over. */
  readonly over: () => boolean
  /** Ends when it is. */
  readonly ended: Promise<void>
  /** Ends when what the scenario does beside the attack is done. */
  readonly meanwhile: Promise<void>
}

/** One attack. */
export interface Attack {
  /** The finding of the review that it replays. */
  readonly finding: string
  /** What it does, in a line. */
  readonly asks: string
  /** The account it holds; absent: it has no credential. Its webhooks, if any, go to `receive`. */
  readonly holds?: (tiny: boolean) => Omit<Wanted, "webhooks"> & { readonly webhooks?: number }
  /** How many such accounts it holds; absent: one. */
  readonly accounts?: (tiny: boolean) => number
  /** Why it cannot be played there; absent, or undefined: it can. */
  readonly cannot?: (kind: SiteKind) => string | undefined
  /** It goes on until its work is done, for so many seconds at most; absent: as long as the scenario says. */
  readonly secondsMax?: number
  /** Connections of webhooks to the attacker. */
  readonly receive?: (socket: Socket) => void
  /** How many descriptors the hub has. */
  readonly descriptors?: (tiny: boolean) => number
  /** People sign in beside it. */
  readonly logins?: boolean
  /** What an operator does while it goes on: words for the hub's command line. */
  readonly operator?: (holder: Holder) => ReadonlyArray<string>
  readonly strike: (target: Target) => Promise<Counts>
  /** What is wrong with the counts, beyond what the regular load notices. */
  readonly judge?: (counts: Counts) => string | undefined
}

/** The nth address of attackers. */
export const attackerAddress = (at: number): string => addressOf(addressGroups.attackers, at)
