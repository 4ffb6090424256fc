/** What the account uses of its plan. */
import type { Output } from "@hub/client"
import { useEffect, useRef } from "preact/hooks"
import { Failure, Reading } from "../components/notices.tsx"
import { Page, Refresh, Section } from "../components/page.tsx"
import { byteWords, countWords } from "../components/time-words.ts"
import { countingMillis, countingReadsMax } from "../limits.ts"
import { useFetched } from "../state/fetched.ts"
import { client } from "../state/session.ts"

type Limits = Output<"account.me">["limits"]

/** One bar. */
interface Bar {
  readonly name: string
  /** What the bar says beside itself. */
  readonly value: string
  /** Used of the whole, 0 to 1; undefined where there is no limit. */
  readonly share: number | undefined
}

const toneOf = (share: number): string => (share >= 0.9 ? "bad" : share >= 0.7 ? "warn" : "good")

/** Bars under each other, drawn in attributes: the page allows no inline style. */
const UsageChart = ({ bars }: { readonly bars: ReadonlyArray<Bar> }) => (
  <ul class="chart">
    {bars.map(({ name, value, share }) => (
      <li key={name}>
        <span>{name}</span>
        <span class="soft">{value}</span>
        <svg
          role="img"
          aria-label={share === undefined ? `${name}: no limit` : `${name}: ${Math.round(share * 100)} % used`}
          width="100%"
          height="8"
        >
          <rect class="track" width="100%" height="8" rx="4" />
          {share !== undefined && share > 0 && (
            <rect class={toneOf(share)} width={`${Math.max(1, Math.min(100, share * 100))}%`} height="8" rx="4" />
          )}
        </svg>
      </li>
    ))}
  </ul>
)

const barOf = (name: string, used: number | null, max: number | null, words = countWords): Bar => ({
  name,
  value:
    used === null ? "not counted yet" : max === null ? `${words(used)}, no limit` : `${words(used)} of ${words(max)}`,
  share: used === null || max === null ? undefined : max === 0 ? 1 : used / max
})

const monthBars = ({ month, ip }: Limits): ReadonlyArray<Bar> => [
  barOf(`Calls in ${month.month}`, month.used, month.limit),
  barOf("Calls of this address in a minute", ip.limit - ip.remaining, ip.limit)
]

const heldBars = ({ daemons, apiKeys, webhooks }: Limits): ReadonlyArray<Bar> => [
  barOf("Daemons", daemons.used, daemons.max),
  barOf("API keys", apiKeys.used, apiKeys.max),
  barOf("Webhooks", webhooks.used, webhooks.max)
]

const volumeBars = (limits: Limits): ReadonlyArray<Bar> => [
  barOf("Deliveries that wait", limits.pendingDeliveries.used, limits.pendingDeliveries.max),
  barOf("Their bytes", limits.pendingDeliveryBytes.used, limits.pendingDeliveryBytes.max, byteWords),
  barOf("Kept commands", limits.keptCommands.used, limits.keptCommands.max),
  barOf("Bytes of their results", limits.keptCommandBytes.used, limits.keptCommandBytes.max, byteWords),
  barOf("Outcomes kept for repeated calls", limits.keptOutcomes.used, limits.keptOutcomes.max),
  barOf("Bytes of their answers", limits.keptOutcomeBytes.used, limits.keptOutcomeBytes.max, byteWords)
]

/** Asks again while the hub has not counted yet what it keeps. */
const useCounted = (limits: Limits | undefined, reload: () => void): void => {
  const reads = useRef(0)
  useEffect(() => {
    if (limits === undefined || limits.keptCommands.used !== null || reads.current >= countingReadsMax) return
    const timer = setTimeout(() => {
      reads.current++
      reload()
    }, countingMillis)
    return () => clearTimeout(timer)
  }, [limits, reload])
}

/** The view. */
export const UsageView = () => {
  const { value, failure, reload } = useFetched((signal) => client.account.me({}, { signal }), [])
  useCounted(value?.limits, reload)
  return (
    <Page
      title="Usage"
      beside={value !== undefined && <span class="soft">plan {value.account.plan}</span>}
      actions={<Refresh act={reload} />}
    >
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value !== undefined && (
        <>
          <Section
            title="Calls"
            says={`Programs' calls count for the month, which ends on ${new Date(value.limits.month.resetsAt).toLocaleDateString()}; those of this page do not.`}
          >
            <UsageChart bars={monthBars(value.limits)} />
          </Section>
          <Section title="What the account holds">
            <UsageChart bars={heldBars(value.limits)} />
          </Section>
          <Section title="What the hub keeps for it">
            <UsageChart bars={volumeBars(value.limits)} />
          </Section>
        </>
      )}
    </Page>
  )
}
