/** How much of each limit is used, as bars. Owns their drawing, in attributes: the page allows no inline style. */

/** One bar. */
export interface Bar {
  readonly name: string
  /** What the bar says beside itself. */
  readonly value: string
  /** Used of the whole, 0 to 1; undefined where there is no limit. */
  readonly share: number | undefined
}

const toneOf = (share: number): string => (share >= 0.9 ? "bad" : share >= 0.7 ? "warn" : "good")

/** Bars under each other. */
export const UsageChart = ({ bars }: { readonly bars: ReadonlyArray<Bar> }) => (
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
