/**
 * How long the requests of one endpoint take, by class of status. Owns their series, at most five per endpoint; a
 * caller chooses no label.
 */
import { observe, type Series, seriesOf } from "../../src/runtime/histograms.ts"

const nanosPerSecond = 1e9

/** Called with the status of an answer, and when its request began. `nanos` reads the monotonic clock. */
export const requestTiming = (
  nanos: () => number,
  method: string,
  route: string
): ((status: number, startedAt: number) => void) => {
  const ofClass: Array<Series | undefined> = []
  return (status, startedAt) => {
    const at = Math.floor(status / 100)
    const series = ofClass[at] ?? seriesOf("hub_request_duration_seconds", { method, route, status: `${at}xx` })
    ofClass[at] = series
    observe(series, (nanos() - startedAt) / nanosPerSecond)
  }
}
