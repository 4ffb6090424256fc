/** The labels of the figures: nobody outside the hub makes one more. */
import { describe, expect, it } from "vitest"
import { anyText, fc, forAll } from "../../support/properties.ts"
import "../../../src/protocol/codec.ts"
import { labels, other } from "../../../src/runtime/metric-labels.ts"
import { type CounterName, count, counted, counters, prometheus } from "../../../src/runtime/metrics.ts"

const labelled = (Object.keys(counters) as Array<CounterName>).filter((name) => "label" in counters[name])
const valuesShown = (name: CounterName): ReadonlyArray<string> =>
  [...prometheus().matchAll(new RegExp(`^${name}\\{\\w+="([^"]*)"\\} `, "gmu"))].map((match) => match[1]!)

describe("the figures", () => {
  it.each(labelled)("%s takes the values of its label's list, and counts every other as `other`", (name) => {
    forAll(fc.oneof(anyText(), fc.nat(9_999).map(String)), (value) => {
      count(name as "hub_sockets_closed_total", value)
    })
    const label = (counters[name] as { readonly label: { readonly values: ReadonlySet<string> } }).label
    expect(valuesShown(name).filter((value) => value !== other && !label.values.has(value))).toEqual([])
  })

  it("tell the documented close codes apart, and no others", () => {
    const before = counted("hub_sockets_closed_total", other)
    for (const code of [4410, 4999, 3000, 0]) count("hub_sockets_closed_total", String(code))
    expect(counted("hub_sockets_closed_total", other)).toBe(before + 4)
    const stood = counted("hub_sockets_closed_total", "4409")
    count("hub_sockets_closed_total", "4409")
    expect(counted("hub_sockets_closed_total", "4409")).toBe(stood + 1)
  })

  it("know the member of every misfit from the frames' schemas", () => {
    for (const member of ["auth.workspaces.path", "status_report.sessions.activeModal.buttons", "command_result"])
      expect(labels.member.values.has(member), member).toBe(true)
  })
})
