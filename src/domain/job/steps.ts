/**
 * The steps of a job: so many targets first, then a while without any, then more. Owns how many may be sent by what has
 * become of those before; reads no clock. All follows from the rows, so that the next leader goes on where one ended.
 */
import type { Step, TargetCounts } from "./job.ts"

const minuteMillis = 60_000
/** Products of fractions differ from a whole number by less. */
const rounding = 1e-6

/** How many targets a step lets go, with those before it. */
export const stepEnd = ({ count, percent = 0 }: Step, targets: number): number =>
  count ?? Math.max(1, Math.ceil((targets * percent) / 100 - rounding))

/** Targets that were sent. */
const sentOf = ({ running, succeeded, failed, timed_out, lost, cancelled }: TargetCounts): number =>
  running + succeeded + failed + timed_out + lost + cancelled

/** Whether the time of the last end among the sent ones matters. */
export const isStepDone = (steps: ReadonlyArray<Step>, targets: number, counts: TargetCounts): boolean =>
  counts.running === 0 && steps.some((step) => stepEnd(step, targets) === sentOf(counts))

/** How many more may be sent now, and where none: when to ask again at the latest; undefined: when one has ended. */
export const stepRoom = (
  steps: ReadonlyArray<Step>,
  targets: number,
  counts: TargetCounts,
  { lastEndAt, now }: { readonly lastEndAt?: number | undefined; readonly now: number }
): { readonly room: number; readonly waitMillis?: number } => {
  const sent = sentOf(counts)
  const done = steps.filter((step) => stepEnd(step, targets) === sent)
  if (sent > 0 && done.length > 0) {
    if (counts.running > 0) return { room: 0 }
    const hold = Math.max(...done.map(({ holdMinutes }) => holdMinutes)) * minuteMillis
    const waitMillis = (lastEndAt ?? now) + hold - now
    if (waitMillis > 0) return { room: 0, waitMillis }
  }
  const ends = steps.map((step) => stepEnd(step, targets)).filter((end) => end > sent)
  return { room: Math.min(Number.POSITIVE_INFINITY, ...ends) - sent }
}
