/** How a node judges its line to Redis by its own beats. */
import { describe, expect, it } from "vitest"
import { HeartbeatMonitor } from "../../../src/bus/heartbeat.ts"
import { busHeldUpMillisMax, busSilenceMillisMax } from "../../../src/limits/nodes.ts"

const standing = () => {
  const pulse = new HeartbeatMonitor(2, busSilenceMillisMax, 0)
  const beat = pulse.next()
  pulse.receive("all", beat, 0)
  pulse.receive("inbox", beat, 0)
  return pulse
}

describe("the line of a node", () => {
  it(`is silent once one channel has brought no beat for more than ${busSilenceMillisMax} ms`, () => {
    const pulse = standing()
    pulse.receive("all", pulse.next(), busSilenceMillisMax)
    expect(pulse.isSilent(busSilenceMillisMax)).toBe(false)
    expect(pulse.isSilent(busSilenceMillisMax + 1)).toBe(true)
  })

  it(`is not silent because the node itself was held up, for ${busHeldUpMillisMax} ms in all until a beat comes`, () => {
    const pulse = standing()
    pulse.excuse(busHeldUpMillisMax)
    expect(pulse.isSilent(busHeldUpMillisMax + busSilenceMillisMax)).toBe(false)
    pulse.excuse(busHeldUpMillisMax)
    expect(pulse.isSilent(busHeldUpMillisMax + busSilenceMillisMax + 1)).toBe(true)
  })

  it("is silent for a channel whose beat stays out after the node went on", () => {
    const pulse = standing()
    pulse.excuse(busHeldUpMillisMax)
    pulse.receive("all", pulse.next(), busHeldUpMillisMax)
    expect(pulse.isSilent(busHeldUpMillisMax + busSilenceMillisMax)).toBe(false)
    expect(pulse.isSilent(busHeldUpMillisMax + busSilenceMillisMax + 1)).toBe(true)
  })

  it("takes a timer that fires early for no time at all", () => {
    const pulse = standing()
    pulse.excuse(-1)
    expect(pulse.isSilent(busSilenceMillisMax + 1)).toBe(true)
  })
})
