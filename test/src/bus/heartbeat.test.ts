/** How a node judges its line to Redis by its own beats. */
import { describe, expect, it } from "vitest"
import { HeartbeatMonitor } from "../../../src/bus/heartbeat.ts"
import { busHeldUpMillisMax, busSilenceMillisMax } from "../../../src/limits/nodes.ts"
import { given } from "../../support/given.ts"

const standing = () => {
  const pulse = new HeartbeatMonitor(2, busSilenceMillisMax, 0)
  const beat = pulse.next()
  pulse.receive("all", beat, 0)
  pulse.receive("inbox", beat, 0)
  return pulse
}

describe("the line of a node", () => {
  given(standing)(`is silent once one channel has brought no beat for more than ${busSilenceMillisMax} ms`, (pulse) => {
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

  given(standing)("is silent for a channel whose beat stays out after the node went on", (pulse) => {
    pulse.excuse(busHeldUpMillisMax)
    pulse.receive("all", pulse.next(), busHeldUpMillisMax)
    expect(pulse.isSilent(busHeldUpMillisMax + busSilenceMillisMax)).toBe(false)
    expect(pulse.isSilent(busHeldUpMillisMax + busSilenceMillisMax + 1)).toBe(true)
  })

  given(standing)("takes a timer that fires early for no time at all", (pulse) => {
    pulse.excuse(-1)
    expect(pulse.isSilent(busSilenceMillisMax + 1)).toBe(true)
  })
})
