/** Which daemons are told to update, which updates count, and where a rollout stops: 500 of them, in virtual time. */
import { describe, expect, it } from "vitest"
import { decideRollouts, type FleetDaemon, stateOf, type Update } from "../../../../src/domain/daemon/rollout.ts"
import type { Offered, Release, VersionPolicy } from "../../../../src/domain/daemon/version-policy.ts"
import {
  rolloutMillis,
  updateAllMillisMax,
  updateHoldMillis,
  updateMillisMax,
  updatesUnderWayMax
} from "../../../../src/limits/daemon-versions.ts"

const served: Release = { version: "2.0.0", sha256: "b".repeat(64) }
const offered: Offered = { own: served, kept: [{ version: "1.5.0", sha256: "c".repeat(64) }] }
const policy = (given: Partial<VersionPolicy> = {}): VersionPolicy => ({
  id: "all",
  selector: [],
  daemonId: null,
  version: "hub",
  window: null,
  canary: null,
  maxFailures: 3,
  paused: false,
  ...given
})

type Machine = { -readonly [K in keyof FleetDaemon]: FleetDaemon[K] }
/** What becomes of a machine that is told to update. */
type Fate = "holds" | "is put back" | "never comes back" | "comes back and leaves"

/** A fleet that does what it is told, each in its own way, and the rows that a hub would write of it. */
class Fleet {
  readonly machines: Array<Machine>
  readonly told = new Map<string, number>()
  now = 0
  private readonly fate: (machine: Machine) => Fate
  private later: Array<{ readonly at: number; readonly then: () => void }> = []

  constructor(size: number, fate: (machine: Machine) => Fate, given: Partial<FleetDaemon> = {}) {
    this.fate = fate
    this.machines = Array.from({ length: size }, (_, at) => ({
      daemonId: `dmn_${String(at).padStart(5, "0")}`,
      version: "1.0.0",
      epoch: 1,
      versionEpoch: 1,
      online: true,
      updates: true,
      update: null,
      ...given
    }))
  }

  private after(millis: number, then: () => void): void {
    this.later.push({ at: this.now + millis, then })
  }

  private reconnect(machine: Machine, version: string): void {
    machine.epoch += 1
    Object.assign(machine, { online: true, version, versionEpoch: machine.epoch })
  }

  private obey(machine: Machine): void {
    const fate = this.fate(machine)
    machine.online = false
    if (fate === "never comes back") return
    if (fate === "is put back")
      return this.after(60_000, () => {
        this.reconnect(machine, "1.0.0")
        machine.update = { ...machine.update!, state: "failed", endedAt: this.now, reason: "it did not start" }
      })
    this.after(20_000, () => this.reconnect(machine, served.version))
    if (fate === "comes back and leaves") this.after(90_000, () => this.reconnect(machine, "1.0.0"))
  }

  /** One round of the hub, then some time. */
  round(policies: ReadonlyArray<VersionPolicy>): void {
    const byId = new Map(this.machines.map((one) => [one.daemonId, one]))
    const decided = decideRollouts(policies, this.machines, offered, this.now)
    const change = (daemonId: string, given: Partial<Update>): void => {
      const machine = byId.get(daemonId)!
      machine.update = { ...machine.update!, ...given }
    }
    for (const { daemonId, policyId, epoch } of decided.ask) {
      this.told.set(daemonId, (this.told.get(daemonId) ?? 0) + 1)
      const empty = { backAt: null, backEpoch: null, endedAt: null, reason: null }
      change(daemonId, {
        policyId,
        sha256: served.sha256,
        state: "updating",
        askedAt: this.now,
        askedEpoch: epoch,
        ...empty
      })
      this.obey(byId.get(daemonId)!)
    }
    for (const { daemonId, epoch } of decided.back)
      change(daemonId, { state: "updating", backAt: this.now, backEpoch: epoch, endedAt: null, reason: null })
    for (const daemonId of decided.done) change(daemonId, { state: "done", endedAt: this.now })
    for (const { daemonId, reason } of decided.failed) change(daemonId, { state: "failed", endedAt: this.now, reason })
    this.now += rolloutMillis
    const due = this.later.filter(({ at }) => at <= this.now)
    this.later = this.later.filter(({ at }) => at > this.now)
    for (const { then } of due) then()
  }

  rounds(minutes: number, policies: ReadonlyArray<VersionPolicy>, each: () => void = () => undefined): void {
    for (const until = this.now + minutes * 60_000; this.now < until; each()) this.round(policies)
  }

  number(holds: (machine: Machine) => boolean): number {
    return this.machines.filter(holds).length
  }

  states(one: VersionPolicy): Record<string, number> {
    const numbers: Record<string, number> = {}
    for (const machine of this.machines) {
      const state = stateOf(one, offered, machine) ?? "none"
      numbers[state] = (numbers[state] ?? 0) + 1
    }
    return numbers
  }
}

const isNew = ({ version }: Machine): boolean => version === served.version
const isUpdating = ({ update }: Machine): boolean => update?.state === "updating"

/** Longer than a failed one keeps its daemon from the next. */
const hours = 3

describe("a rollout over 500 daemons", () => {
  it("stops at the failures that it may have where the canary fails, and leaves nobody on the version", () => {
    const fleet = new Fleet(500, () => "is put back")
    const careful = policy({ canary: { count: 20, minutes: 30 }, maxFailures: 5 })
    fleet.rounds(hours * 60, [careful])
    expect(fleet.number(isNew)).toBe(0)
    expect(fleet.told.size).toBe(20)
    expect(fleet.states(careful)).toEqual({ failed: 20, pending: 480 })
  })

  it("brings all where the canary holds: none beside it before its time is over, and never too many at once", () => {
    const fleet = new Fleet(500, () => "holds")
    const careful = policy({ canary: { percent: 4, minutes: 30 } })
    let most = 0
    const look = (): void => {
      most = Math.max(most, fleet.number(isUpdating))
    }
    fleet.rounds(35, [careful], look)
    expect([fleet.told.size, fleet.number(isNew)]).toEqual([20, 20])
    fleet.rounds(6 * 60, [careful], look)
    expect(fleet.states(careful)).toEqual({ current: 500 })
    expect(most).toBe(updatesUnderWayMax)
    expect([...fleet.told.values()].every((times) => times === 1)).toBe(true)
  })

  it("stops behind a good canary, too, when later ones fail", () => {
    const fleet = new Fleet(500, ({ daemonId }) => (daemonId < "dmn_00010" ? "holds" : "comes back and leaves"))
    const careful = policy({ canary: { count: 10, minutes: 0 }, maxFailures: 2 })
    fleet.rounds(hours * 60, [careful])
    expect(fleet.number(isNew)).toBe(10)
    expect(fleet.told.size).toBe(10 + updatesUnderWayMax)
  })
})

describe("an update", () => {
  it("counts once the daemon has been back with the version for its time on one connection", () => {
    const fleet = new Fleet(1, () => "holds")
    const [machine] = fleet.machines
    fleet.rounds(1, [policy()])
    expect(machine!.update?.state).toBe("updating")
    fleet.rounds(3, [policy()])
    machine!.epoch = machine!.versionEpoch = 9
    fleet.rounds(updateHoldMillis / 60_000 - 1, [policy()])
    expect(machine!.update?.state).toBe("updating")
    fleet.rounds(2, [policy()])
    expect(machine!.update?.state).toBe("done")
  })

  it("has failed after all where the daemon is older again later, and not while it is away", () => {
    const fleet = new Fleet(1, () => "holds")
    const [machine] = fleet.machines
    fleet.rounds(10, [policy()])
    expect(machine!.update?.state).toBe("done")
    machine!.online = false
    fleet.rounds(updateAllMillisMax / 60_000 + 1, [policy()])
    expect(machine!.update?.state).toBe("done")
    Object.assign(machine!, { online: true, version: "1.0.0", epoch: 9, versionEpoch: 9 })
    fleet.rounds(1, [policy()])
    expect(machine!.update).toMatchObject({ state: "failed", reason: "went back to version 1.0.0" })
  })

  it("has failed when the daemon does not come back in time; one that comes back late still counts", () => {
    const fleet = new Fleet(1, () => "never comes back")
    const [machine] = fleet.machines
    fleet.rounds(updateMillisMax / 60_000, [policy()])
    expect(machine!.update?.state).toBe("updating")
    fleet.rounds(1, [policy()])
    expect(stateOf(policy(), offered, machine!)).toBe("failed")
    Object.assign(machine!, { online: true, version: served.version, epoch: 3, versionEpoch: 3 })
    fleet.rounds(updateHoldMillis / 60_000 + 1, [policy()])
    expect(machine!.update?.state).toBe("done")
  })

  it("is told again to a daemon that is still here as it was", () => {
    const [daemon] = new Fleet(1, () => "holds").machines
    const update = { policyId: "all", sha256: served.sha256, state: "updating", askedAt: 0, askedEpoch: 1 } as const
    const told = { ...daemon!, update: { ...update, backAt: null, backEpoch: null, endedAt: null, reason: null } }
    expect(decideRollouts([policy()], [told], offered, rolloutMillis)).toMatchObject({
      ask: [],
      again: [{ daemonId: told.daemonId, release: served }]
    })
  })

  it("to a release that the hub no longer serves keeps the daemon from the next one for an hour, and no longer", () => {
    const [daemon] = new Fleet(1, () => "holds").machines
    const update = { policyId: "all", sha256: "a".repeat(64), state: "updating", askedAt: 0, askedEpoch: 1 } as const
    const told = { ...daemon!, update: { ...update, backAt: null, backEpoch: null, endedAt: null, reason: null } }
    const asked = [1, updateAllMillisMax, updateAllMillisMax + 1].map(
      (now) => decideRollouts([policy()], [told], offered, now).ask.length
    )
    expect(asked).toEqual([0, 0, 1])
  })
})

describe("no daemon is told", () => {
  const asked = (given: Partial<VersionPolicy>, machine: Partial<FleetDaemon> = {}, now = 0): number =>
    decideRollouts([policy(given)], new Fleet(1, () => "holds", machine).machines, offered, now).ask.length

  it.each<[string, Partial<VersionPolicy>, Partial<FleetDaemon>]>([
    ["of a policy that holds", { version: "hold" }, {}],
    ["of one that is paused", { paused: true }, {}],
    ["to get a version that this hub does not have", { version: "3.0.0" }, {}],
    ["that is offline", {}, { online: false }],
    ["that cannot update itself", {}, { updates: false }],
    ["whose version this connection has not said yet", {}, { epoch: 2 }],
    ["that has the version", {}, { version: "2.0.0" }],
    ["to go back where the hub's version is meant", {}, { version: "2.1.0" }],
    ["that no selector means", { selector: [{ key: "env", is: "equal", value: "prod" }] }, {}]
  ])("%s", (_, given, machine) => expect(asked(given, machine)).toBe(0))

  it("outside the window, which may go over midnight and begins on its days", () => {
    const night = { days: [4], from: 22 * 60, to: 6 * 60 } // the epoch was a Thursday
    const hour = 3_600_000
    const open = Array.from({ length: 72 }, (_, at) => asked({ window: night }, {}, at * hour))
    expect(open.flatMap((number, at) => (number > 0 ? [at] : []))).toEqual([22, 23, 24, 25, 26, 27, 28, 29])
  })

  it("but to go back where a version is named, also to one that the hub served before", () => {
    expect(asked({ version: "2.0.0" }, { version: "2.1.0" })).toBe(1)
    const { ask } = decideRollouts([policy({ version: "1.5.0" })], new Fleet(1, () => "holds").machines, offered, 0)
    expect(ask.map(({ release }) => release)).toEqual(offered.kept)
  })

  it("by a selector whose daemon is pinned", () => {
    const fleet = new Fleet(2, () => "holds")
    const pin = policy({ id: "z", daemonId: fleet.machines[0]!.daemonId, version: "hold" })
    const { ask } = decideRollouts([policy(), pin], fleet.machines, offered, 0)
    expect(ask.map(({ daemonId }) => daemonId)).toEqual([fleet.machines[1]!.daemonId])
    expect(stateOf(pin, offered, fleet.machines[0]!)).toBe("held")
  })
})
