/**
 * A subscriber against a model of its store: whatever the order of what happens, nothing is lost and nothing sent
 * twice.
 */
import { expect, it } from "vitest"
import type { SubscriberAction } from "../../../actors/webhooks/messages.ts"
import { webhookInFlightMax } from "../../../src/limits/delivery.ts"
import type { PendingDelivery } from "../../../src/store/webhooks/deliveries.ts"
import { fc, forAll, modelRuns } from "../../support/properties.ts"
import { delivery, subject } from "./subscriber-decisions.ts"

/** What ought to be: the deliveries that are still to be made. */
interface Model {
  readonly store: Map<string, PendingDelivery>
  made: number
}

/** The subscriber among its store and its receiver, and what it asked for last. */
class Real {
  readonly one = subject()
  readonly flying = new Map<string, PendingDelivery>()
  readonly settling: Array<Extract<SubscriberAction, { do: "settle" }>> = []
  /** Committed, and the word of it is on its way. */
  readonly untold: Array<ReadonlyArray<PendingDelivery>> = []
  wakeAt: number | undefined
  private fetch: ReadonlyArray<PendingDelivery> | undefined
  private isRereading = false
  private readonly model: Model

  constructor(model: Model) {
    this.model = model
    this.perform(this.one.wake())
  }

  get isIdle(): boolean {
    return this.flying.size === 0 && this.settling.length === 0 && this.fetch === undefined && !this.isRereading
  }

  perform(actions: ReadonlyArray<SubscriberAction>): void {
    for (const action of actions) {
      if (action.do === "attempt") this.attempt(action.delivery)
      else if (action.do === "fetch") this.fetch = this.rows(action.limit, action.except)
      else if (action.do === "settle") this.settling.push(action)
      else if (action.do === "reread") this.isRereading = true
      else if (action.do === "wakeAt") this.wakeAt = action.at
    }
  }

  private attempt(sent: PendingDelivery): void {
    expect(this.model.store.has(sent.id)).toBe(true)
    expect(this.flying.has(sent.id)).toBe(false)
    expect(this.settling.some((other) => other.delivery.id === sent.id)).toBe(false)
    this.flying.set(sent.id, sent)
    expect(this.flying.size).toBeLessThanOrEqual(webhookInFlightMax)
  }

  private rows(limit: number, except: ReadonlyArray<string>): ReadonlyArray<PendingDelivery> {
    return [...this.model.store.values()]
      .filter((row) => !except.includes(row.id))
      .sort((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit)
  }

  tellLast(): void {
    const rows = this.untold.pop()
    // a word that comes after the outcome repeats a delivery, as receivers must bear
    const still = rows?.filter((row) => this.model.store.get(row.id) === row) ?? []
    if (still.length > 0) this.perform(this.one.due(...still))
  }

  settleOne(): void {
    const next = this.settling.shift()
    if (next === undefined) return
    const { store } = this.model
    const { id, attempts } = next.delivery
    if (next.retryAt === undefined) store.delete(id)
    else store.set(id, { ...next.delivery, attempts: attempts + 1, dueAt: next.retryAt })
    this.perform(this.one.settled(id, next.retryAt))
  }

  fetched(): void {
    const rows = this.fetch
    this.fetch = undefined
    if (rows !== undefined) this.perform(this.one.found(...rows))
  }

  answerOne(status: number): void {
    const [id, flown] = [...this.flying][0] ?? []
    if (id === undefined || flown === undefined) return
    this.flying.delete(id)
    this.perform(this.one.answer(flown, status))
  }

  reread(): void {
    if (!this.isRereading) return
    this.isRereading = false
    this.perform(this.one.tell({ type: "profile", there: true, now: this.one.now() }))
  }
}

type Step = fc.Command<Model, Real>

const step = (name: string, run: (model: Model, real: Real) => void): Step => ({
  check: () => true,
  run,
  toString: () => name
})

/** Deliveries are committed; the subscriber is told at once, or once it may have read them. */
const due = (count: number, how: "told" | "told later"): Step =>
  step(`${count} are due, ${how}`, (model, real) => {
    const dueAt = real.one.now()
    const event = count % 2 === 0 ? "agent:stopped" : "agent:status"
    const rows = Array.from({ length: count }, () => delivery(`d${model.made++}`, { dueAt, event }))
    for (const row of rows) model.store.set(row.id, row)
    real.untold.push(rows)
    if (how === "told") real.tellLast()
  })

const steps = fc.commands(
  [
    fc
      .tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom("told" as const, "told later" as const))
      .map(([n, how]) => due(n, how)),
    fc.constant(step("tell", (_, real) => real.tellLast())),
    fc.constantFrom(200, 422, 500, 410).map((status) => step(`answer ${status}`, (_, real) => real.answerOne(status))),
    fc.constant(step("settle", (_, real) => real.settleOne())),
    fc.constant(step("fetched", (_, real) => real.fetched())),
    fc.constant(step("changed", (_, real) => real.perform(real.one.tell({ type: "changed", now: real.one.now() })))),
    fc.integer({ min: 0, max: 800_000 }).map((millis) => step(`pass ${millis}`, (_, { one }) => one.pass(millis)))
  ],
  { maxCommands: 120 }
)

/** Lets all go well until nothing is left to be delivered. */
const settle = ({ store }: Model, real: Real): void => {
  for (let round = 0; store.size > 0; round++) {
    expect(round).toBeLessThan(20_000)
    real.reread()
    real.tellLast()
    real.fetched()
    real.answerOne(200)
    real.settleOne()
    if (!real.isIdle) continue
    if (real.wakeAt !== undefined) real.one.pass(Math.max(0, real.wakeAt - real.one.now()))
    real.wakeAt = undefined
    real.perform(real.one.wake())
  }
}

it("in any order of what happens never has more than four in flight, never attempts what is in flight, and loses nothing", () => {
  expect(webhookInFlightMax).toBe(4)
  forAll(modelRuns(1_000), steps, (life) => {
    const model: Model = { store: new Map(), made: 0 }
    const real = new Real(model)
    fc.modelRun(() => ({ model, real }), life)
    settle(model, real)
  })
})
