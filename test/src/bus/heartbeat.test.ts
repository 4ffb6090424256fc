/** How a node judges its line to Redis by its own beats. */
import { describe, expect, it } from "vitest"
import { Pulse } from "../../../src/bus/heartbeat.ts"
import { busHeldUpMillisMax, busSilenceMillisMax } from "../../../src/limits/nodes.ts"

const standing = () => {
  const pulse = new Pulse(2, busSilenceMillisMax, 0)
  const beat = pulse.next()
  pulse.came("all", beat, 0)
  pulse.came("inbox", beat, 0)
  return pulse
}

describe("the line of a node", () => {
  it(`is silent once one channel has brought no beat for more than ${busSilenceMillisMax} ms`, () => {
    const pulse = standing()
    pulse.came("all", pulse.next(), busSilenceMillisMax)
    expect(pulse.silent(busSilenceMillisMax)).toBe(false)
    expect(pulse.silent(busSilenceMillisMax + 1)).toBe(true)
  })

  it(`is not silent because the node itself was held up, for ${busHeldUpMillisMax} ms in all until a beat comes`, () => {
    const pulse = standing()
    pulse.heldUp(busHeldUpMillisMax)
    expect(pulse.silent(busHeldUpMillisMax + busSilenceMillisMax)).toBe(false)
    pulse.heldUp(busHeldUpMillisMax)
    expect(pulse.silent(busHeldUpMillisMax + busSilenceMillisMax + 1)).toBe(true)
  })

  it("is silent for a channel whose beat stays out after the node went on", () => {
    const pulse = standing()
    pulse.heldUp(busHeldUpMillisMax)
    pulse.came("all", pulse.next(), busHeldUpMillisMax)
    expect(pulse.silent(busHeldUpMillisMax + busSilenceMillisMax)).toBe(false)
    expect(pulse.silent(busHeldUpMillisMax + busSilenceMillisMax + 1)).toBe(true)
  })

  it("takes a timer that fires early for no time at all", () => {
    const pulse = standing()
    pulse.heldUp(-1)
    expect(pulse.silent(busSilenceMillisMax + 1)).toBe(true)
  })
})
