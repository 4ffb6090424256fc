/** Every connection goes to an address that was checked for it. */
import type { LookupAddress } from "node:dns"
import { describe, expect, it } from "vitest"
import { systemLookupsMax, systemLookupsWaitingMax } from "../../../src/limits/delivery.ts"
import { addressFilter } from "../../../src/outbound/address-filter.ts"
import {
  AddressBlocked,
  inTurn,
  liveResolve,
  pinnedLookup,
  type Resolve,
  type ResolvedAddress
} from "../../../src/outbound/resolve.ts"
import { until } from "../../support/until.ts"

const names =
  (table: Record<string, ReadonlyArray<ResolvedAddress>>): Resolve =>
  async (name) => {
    const all = table[name]
    if (all === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" })
    return all
  }
const v4 = (address: string): ResolvedAddress => ({ address, family: 4 })
const v6 = (address: string): ResolvedAddress => ({ address, family: 6 })
const table = names({
  "good.example": [v4("93.184.215.14"), v6("2606:4700::1111")],
  "mixed.example": [v4("10.0.0.1"), v4("93.184.215.14"), v6("::ffff:127.0.0.1")],
  "inside.example": [v4("127.0.0.1"), v6("::1"), v6("64:ff9b::a00:1")],
  "nothing.example": []
})

const ask = (resolve: Resolve, name: string, options: { all?: boolean; family?: number } = { all: true }) =>
  new Promise<string | ReadonlyArray<LookupAddress>>((done, fail) => {
    pinnedLookup(resolve, addressFilter([]))(name, options as never, (error, address) =>
      error === null ? done(address) : fail(error)
    )
  })

describe("the look-up of a connection", () => {
  it("answers with the addresses of the name", async () => {
    expect(await ask(table, "good.example")).toEqual([v4("93.184.215.14"), v6("2606:4700::1111")])
    expect(await ask(table, "good.example", {})).toBe("93.184.215.14")
    expect(await ask(table, "good.example", { all: true, family: 6 })).toEqual([v6("2606:4700::1111")])
  })

  it("leaves forbidden addresses out", async () =>
    expect(await ask(table, "mixed.example")).toEqual([v4("93.184.215.14")]))

  it("fails as blocked when every address is forbidden, and when there is none", async () => {
    await expect(ask(table, "inside.example")).rejects.toBeInstanceOf(AddressBlocked)
    await expect(ask(table, "nothing.example")).rejects.toBeInstanceOf(AddressBlocked)
  })

  it("fails as the name servers do", () =>
    expect(ask(table, "unknown.example")).rejects.toMatchObject({ code: "ENOTFOUND" }))

  it("asks anew each time, so that a name that answers differently the second time is filtered then too", async () => {
    const answers = [[v4("93.184.215.14")], [v4("169.254.169.254")]]
    const changing: Resolve = async () => answers.shift()!
    expect(await ask(changing, "changing.example")).toEqual([v4("93.184.215.14")])
    await expect(ask(changing, "changing.example")).rejects.toBeInstanceOf(AddressBlocked)
  })
})

it(`the system's resolver is asked ${systemLookupsMax} names at once, ${systemLookupsWaitingMax} wait their turn, and more fail as dns`, async () => {
  const asked: Array<() => void> = []
  let [open, most] = [0, 0]
  const slow = inTurn(async () => {
    most = Math.max(most, ++open)
    await new Promise<void>((resolve) => asked.push(resolve))
    open--
    return [v4("93.184.215.14")]
  })
  const all = [...Array(systemLookupsMax + systemLookupsWaitingMax).keys()].map((n) => slow(`${n}.example`))
  await expect(slow("late.example")).rejects.toMatchObject({ code: "EAI_AGAIN" })
  let done = false
  const answers = Promise.all(all).finally(() => {
    done = true
  })
  await until("all are answered", () => {
    for (const answer of asked.splice(0)) answer()
    return done
  })
  expect(await answers).toHaveLength(all.length)
  expect([open, most]).toEqual([0, systemLookupsMax])
  const again = slow("again.example")
  for (const answer of asked.splice(0)) answer()
  expect(await again).toHaveLength(1)
})

it("the live resolver knows localhost, with and without a dot behind, as this machine", async () => {
  const here = [v4("127.0.0.1"), v6("::1")]
  expect(await liveResolve()("localhost")).toEqual(here)
  expect(await liveResolve()("localhost.")).toEqual(here)
  expect(await liveResolve()("x.localhost")).toEqual(here)
})
