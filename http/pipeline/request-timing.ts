/**
 * How long the requests of one endpoint take, by class of status. Owns their series, at most five per endpoint; a
 * caller chooses no label.
 */
import type { Clock } from "effect"
import { observe, type Series, seriesOf } from "../../src/runtime/histograms.ts"

const nanosPerSecond = 1e9

/** Called when a request begins; what it returns is called with the status of its answer. */
export const requestTiming = (clock: Clock.Clock, method: string, route: string): (() => (status: number) => void) => {
  const ofClass: Array<Series | undefined> = []
  const now = (): number => Number(clock.monotonicTimeNanosUnsafe())
  return () => {
    const startedAt = now()
    return (status) => {
      const at = Math.floor(status / 100)
      const series = ofClass[at] ?? seriesOf("hub_request_duration_seconds", { method, route, status: `${at}xx` })
      ofClass[at] = series
      observe(series, (now() - startedAt) / nanosPerSecond)
    }
  }
}
