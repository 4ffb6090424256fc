/**
 * Policies of the versions of daemons: which one applies to a daemon, which release it means, and when it may act.
 * Pure; rollout.ts decides who is updated.
 */
import { gt, valid } from "semver"
import { matches, type Selector } from "./selector.ts"
import type { Tagged } from "./tags.ts"

/** When daemons may be told to update: from and to, in minutes of the day (UTC); to before from: over midnight. */
export interface UpdateWindow {
  /** Days on which it begins, 0 is Sunday. */
  readonly days: ReadonlyArray<number>
  readonly from: number
  readonly to: number
}

/** The first ones: so many, or so many of a hundred, and how long the others wait after the last of them holds. */
export interface Canary {
  readonly count?: number
  readonly percent?: number
  readonly minutes: number
}

export interface VersionPolicy {
  readonly id: string
  /** Which daemons; none asked for: all. */
  readonly selector: Selector
  /** The one daemon that it pins, instead. */
  readonly daemonId: string | null
  /** `hub`: what the hub serves, never an older one; `hold`: none; else this very one, as long as the hub has it. */
  readonly version: string
  readonly window: UpdateWindow | null
  readonly canary: Canary | null
  /** Failures at which it tells no further daemon. */
  readonly maxFailures: number
  readonly paused: boolean
}

/** A version of the daemon that the hub has. */
export interface Release {
  readonly version: string
  readonly sha256: string
}

/** What a hub can give a daemon. */
export interface Offered {
  /** What this node serves; undefined: none was built. */
  readonly own: Release | undefined
  /** What any node served before, or serves; one of each version. */
  readonly kept: ReadonlyArray<Release>
}

/** What decides which policy applies. */
export type Governed = Tagged & { readonly daemonId: string }

/** The policy of a daemon: its pin, otherwise the first, in the order of ids, whose selector it matches. */
export const policyOf = (policies: ReadonlyArray<VersionPolicy>, daemon: Governed): VersionPolicy | undefined =>
  policies.find(({ daemonId }) => daemonId === daemon.daemonId) ??
  policies.find(({ daemonId, selector }) => daemonId === null && matches(selector, daemon))

/** The release that a policy means; undefined: none that this hub has. */
export const targetOf = ({ version }: VersionPolicy, { own, kept }: Offered): Release | undefined =>
  version === "hub" || version === own?.version ? own : kept.find((one) => one.version === version)

/** Whether a daemon of this version is to get the release. Two nodes of different versions do not undo each other's. */
export const wants = ({ version }: VersionPolicy, target: Release, has: string): boolean => {
  if (has === target.version) return false
  return version !== "hub" || valid(has) === null || valid(target.version) === null || gt(target.version, has)
}

const millisPerMinute = 60_000
const minutesPerDay = 1_440
const daysPerWeek = 7

/** Whether daemons may be told now. */
export const isOpen = (window: UpdateWindow | null, now: number): boolean => {
  if (window === null) return true
  const { days, from, to } = window
  const minutes = Math.floor(now / millisPerMinute)
  const minute = minutes % minutesPerDay
  const today = new Date(now).getUTCDay()
  const began = from < to || minute >= from ? today : (today + daysPerWeek - 1) % daysPerWeek
  const isWithin = from < to ? from <= minute && minute < to : minute >= from || minute < to
  return isWithin && days.includes(began)
}
