/**
 * Rollouts: which daemons of a policy are told to update next, which updates count, and which have failed. Pure: what
 * is known of each daemon comes in, what is to be written comes out.
 */
import {
  updateAllMillisMax,
  updateHoldMillis,
  updateMillisMax,
  updatesUnderWayMax
} from "../../limits/daemon-versions.ts"
import {
  type Governed,
  isOpen,
  type Offered,
  policyOf,
  type Release,
  targetOf,
  type VersionPolicy,
  wants
} from "./version-policy.ts"

/** How a daemon stands with its policy. `held`: it is to stay as it is. */
export const updateStates = ["current", "pending", "updating", "failed", "held"] as const
export type UpdateState = (typeof updateStates)[number]

/** The newest update of a daemon. Times are epoch milliseconds, epochs the numbers of its connections. */
export interface Update {
  readonly policyId: string
  readonly sha256: string
  readonly state: "updating" | "done" | "failed"
  readonly askedAt: number
  readonly askedEpoch: number
  /** Since when, and on which connection, it is back with the new version; null: not yet. */
  readonly backAt: number | null
  readonly backEpoch: number | null
  readonly endedAt: number | null
  readonly reason: string | null
}

/** What is known of a daemon. */
export interface FleetDaemon extends Governed {
  readonly version: string
  /** The number of its newest connection, and of the one that said this version. */
  readonly epoch: number
  readonly versionEpoch: number
  readonly online: boolean
  /** It can update itself. */
  readonly updates: boolean
  readonly update: Update | null
}

/** A daemon is to get a release, by its policy. */
export interface Asked {
  readonly daemonId: string
  readonly policyId: string
  readonly epoch: number
  readonly release: Release
}

/** What a round decides, by daemon. */
export interface Decided {
  /** Told for the first time. */
  readonly ask: Array<Asked>
  /** Told again: it may not have heard. */
  readonly again: Array<{ readonly daemonId: string; readonly release: Release }>
  /** Back with the new version on this connection. */
  readonly back: Array<{ readonly daemonId: string; readonly epoch: number }>
  readonly done: Array<string>
  readonly failed: Array<{ readonly daemonId: string; readonly reason: string }>
}

/** Its update to this release; undefined: none. */
const updateTo = ({ update }: FleetDaemon, { sha256 }: Release): Update | undefined =>
  update?.sha256 === sha256 ? update : undefined

const isKnown = ({ online, epoch, versionEpoch }: FleetDaemon): boolean => online && epoch === versionEpoch

const isBack = (daemon: FleetDaemon, target: Release): boolean => isKnown(daemon) && daemon.version === target.version

/** How a daemon stands; undefined: no policy applies. */
export const stateOf = (
  policy: VersionPolicy | undefined,
  offered: Offered,
  daemon: FleetDaemon
): UpdateState | undefined => {
  if (policy === undefined) return undefined
  const target = targetOf(policy, offered)
  if (target === undefined) return daemon.version === policy.version ? "current" : "held"
  const update = updateTo(daemon, target)
  if (update?.state === "updating") return "updating"
  if (!wants(policy, target, daemon.version)) return "current"
  if (update?.state === "failed") return "failed"
  return policy.paused ? "held" : "pending"
}

/** What has become of an update that was told. */
const follow = (daemon: FleetDaemon, update: Update, target: Release, now: number, to: Decided): void => {
  const { daemonId, epoch } = daemon
  if (isBack(daemon, target)) {
    if (update.backEpoch !== epoch || update.backAt === null) to.back.push({ daemonId, epoch })
    else if (now - update.backAt >= updateHoldMillis) to.done.push(daemonId)
    return
  }
  if (update.state === "failed") return
  const wasBack = update.backAt !== null
  if (wasBack && isKnown(daemon)) to.failed.push({ daemonId, reason: `went back to version ${daemon.version}` })
  else if (!wasBack && now - update.askedAt > updateMillisMax)
    to.failed.push({ daemonId, reason: "did not come back with the new version in time" })
  else if (now - update.askedAt > updateAllMillisMax) to.failed.push({ daemonId, reason: "did not stay connected" })
  else if (!wasBack && daemon.online) to.again.push({ daemonId, release: target })
}

/** How many the canary has, of so many daemons; all where there is none. */
const canarySize = ({ canary }: VersionPolicy, all: number): number =>
  canary === null ? 0 : (canary.count ?? Math.max(1, Math.ceil((all * (canary.percent ?? 0)) / 100)))

/** How many more may be told now. */
const room = (policy: VersionPolicy, members: ReadonlyArray<FleetDaemon>, target: Release, now: number): number => {
  const updates = members.map((daemon) => updateTo(daemon, target)).filter((one) => one !== undefined)
  const number = (state: Update["state"]): number => updates.filter((one) => one.state === state).length
  if (policy.paused || number("failed") >= policy.maxFailures || !isOpen(policy.window, now)) return 0
  const first = canarySize(policy, members.length)
  const held = updates.flatMap(({ state, endedAt }) => (state === "done" && endedAt !== null ? [endedAt] : []))
  const provenAt = held.sort((a, b) => a - b)[first - 1]
  const isProven = first === 0 || (provenAt !== undefined && now - provenAt >= (policy.canary?.minutes ?? 0) * 60_000)
  return isProven ? updatesUnderWayMax - number("updating") : first - number("updating") - number("done")
}

/** Whether an update, also one to a release that no node follows any more, may still end by itself. */
const isUnderWay = ({ update }: FleetDaemon, now: number): boolean =>
  update?.state === "updating" && now - update.askedAt <= updateAllMillisMax

const decideOne = (
  policy: VersionPolicy,
  members: ReadonlyArray<FleetDaemon>,
  target: Release,
  now: number,
  to: Decided
): void => {
  let left = room(policy, members, target, now)
  for (const daemon of members) {
    const update = updateTo(daemon, target)
    const isBehind = (): boolean => isKnown(daemon) && wants(policy, target, daemon.version)
    // one that counted and is older again has failed after all
    if (update !== undefined && (update.state !== "done" || isBehind())) follow(daemon, update, target, now, to)
    if (update !== undefined || isUnderWay(daemon, now) || left <= 0) continue
    if (!daemon.updates || !isBehind()) continue
    left--
    to.ask.push({ daemonId: daemon.daemonId, policyId: policy.id, epoch: daemon.epoch, release: target })
  }
}

/** What is to be done now about the daemons of one account. */
export const decideRollouts = (
  policies: ReadonlyArray<VersionPolicy>,
  fleet: ReadonlyArray<FleetDaemon>,
  offered: Offered,
  now: number
): Decided => {
  const decided: Decided = { ask: [], again: [], back: [], done: [], failed: [] }
  const members = new Map<VersionPolicy, Array<FleetDaemon>>()
  for (const daemon of fleet) {
    const policy = policyOf(policies, daemon)
    if (policy === undefined) continue
    const known = members.get(policy)
    if (known === undefined) members.set(policy, [daemon])
    else known.push(daemon)
  }
  for (const [policy, daemons] of members) {
    const target = targetOf(policy, offered)
    if (target !== undefined) decideOne(policy, daemons, target, now, decided)
  }
  return decided
}
