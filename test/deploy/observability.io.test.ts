/** deploy/observability fits the hub: what rules and dashboard ask for is there, and each alert is explained. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { prometheus } from "../../src/runtime/metrics.ts"
import { mergedMetrics } from "../../src/workers/metrics.ts"
import { fileText, manifests } from "../support/deployment-files.ts"
import { useHub } from "../support/hub.ts"
import { readPrometheus } from "../support/prometheus-text.ts"
import { root } from "../support/root.ts"
import { hasPromtool, promtool } from "./promtool.ts"

const folder = "deploy/observability"

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
const rules: ReadonlyArray<Rule> = manifests(`${folder}/rules.yml`)[0]!["groups"].flatMap(
  (group: { readonly rules: ReadonlyArray<Rule> }) => group.rules
)

interface Panel {
  readonly title: string
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>
  readonly description?: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}
const dashboard = JSON.parse(fileText(`${folder}/grafana-dashboard.json`)) as {
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<{ readonly query: string }> }
}
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const queries = [...rules.map(({ expr }) => expr), ...panelQueries]

/** Labels that Prometheus gives each series itself. */
const ownLabels = ["job", "instance", "le"]

describe("what is there to observe a hub", () => {
  const hub = useHub()
  let shown: ReturnType<typeof readPrometheus>
  let text: string
  beforeAll(async () => {
    await hub.request("GET", "/readyz")
    await hub.request("GET", "/api/v1/nowhere")
    text = mergedMetrics([{ name: "1", text: (await hub.request("GET", "/metrics")).text }])
    shown = readPrometheus(text)
  })

  /** The names of series, as a histogram writes them. */
  const seriesNames = (): ReadonlySet<string> =>
    new Set(
      [...shown.values()].flatMap(({ name, type }) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
      )
    )
  const labelNames = (): ReadonlySet<string> =>
    new Set([...ownLabels, ...[...text.matchAll(/[{,]([a-z_]+)="/gu)].map(([, name]) => name!)])

  it("asks only for series that a real hub shows", () => {
    const used = [...queries, ...dashboard.templating.list.map(({ query }) => query)].flatMap(
      (query) => query.match(/\b(?:hub|nodejs|process)_[a-z0-9_]+/gu) ?? []
    )
    expect(used.length).toBeGreaterThan(queries.length)
    expect(used.filter((name) => !seriesNames().has(name))).toEqual([])
  })

  it("asks only for labels that they have, and for values that those may have", () => {
    const grouped = queries.flatMap((query) =>
      [...query.matchAll(/\bby \(([^)]*)\)/gu)].flatMap(([, by]) => by!.split(/, ?/u))
    )
    expect(grouped.filter((name) => !labelNames().has(name))).toEqual([])
    const wrong = queries.flatMap((query) =>
      [...query.matchAll(/\b([a-z_0-9]+)\{([^}]*)\}/gu)].flatMap(([, series, matchers]) =>
        [...matchers!.matchAll(/([a-z_]+)(=~?)"([^"]*)"/gu)]
          .filter(([, label]) => !ownLabels.includes(label!) && label !== "status")
          .flatMap(([, label, , values]) => values!.split("|").map((value) => `${label}="${value}"`))
          .filter((matcher) => !text.split("\n").some((line) => line.startsWith(series!) && line.includes(matcher)))
      )
    )
    expect(wrong).toEqual([])
  })

  it("shows each counter, gauge and histogram of the hub in the dashboard, or names it as one that it leaves out", () => {
    const leftOut = `hub_answers_cut_total hub_attempt_duration_seconds hub_buckets hub_commands_pending
      hub_connections_refused_total hub_credentials_cached hub_daemon_updates_total
      hub_events_refused_total hub_frames_ignored_total hub_log_dropped_total hub_log_events_total
      hub_log_gaps_total hub_log_streams_ended_total hub_misfits_total hub_push_messages_total
      hub_quota_written_total hub_request_log_omitted_total hub_requests_aborted_total hub_requests_offline_total
      hub_sockets
      hub_sockets_opened_total hub_sockets_unauthenticated hub_subscribers hub_worker_up`.split(/\s+/u)
    const all = [...shown.keys()].filter((name) => name.startsWith("hub_"))
    const inNone = all.filter(
      (name) => !panelQueries.some((query) => new RegExp(`\\b${name}(?:_bucket|_sum|_count)?\\b`, "u").test(query))
    )
    expect(inNone.sort()).toEqual(leftOut)
  })

  it("has a dashboard whose panels have a title, a place of their own and an explanation", () => {
    const panels = dashboard.panels.filter(({ targets }) => targets !== undefined)
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
    expect(panels.filter(({ description = "" }) => description === "")).toEqual([])
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`)
    )
    expect(new Set(cells).size).toBe(cells.length)
  })

  it("explains each alert in docs/operating.md, under the heading that the alert names", () => {
    const document = fileText("docs/operating.md")
    for (const { alert, labels, annotations } of rules) {
      expect(["page", "ticket"]).toContain(labels["severity"])
      expect(annotations["runbook"]).toBe(`docs/operating.md#${alert.toLowerCase()}`)
      const [, paragraph = ""] = document.split(`\n### ${alert}\n`)
      expect(paragraph.split("\n### ")[0]!.trim().length, alert).toBeGreaterThan(120)
    }
    const explained = [...document.matchAll(/^### (Hub\w+)$/gmu)].map(([, name]) => name)
    expect(explained).toEqual(rules.map(({ alert }) => alert))
  })

  describe.skipIf(!hasPromtool)("by Prometheus' own checker", () => {
    it("the text of a hub is clean, of one process and of workers", () => {
      for (const one of [prometheus(), text]) expect(promtool(["check", "metrics"], one)).toEqual({ code: 0, said: "" })
    })

    it("the rules are valid, and each is raised and not raised in the unit tests", () => {
      const checked = promtool(["check", "rules", join(root, folder, "rules.yml")])
      expect(checked).toMatchObject({ code: 0 })
      const tested = promtool(["test", "rules", join(root, folder, "rules-test.yml")])
      expect(tested, tested.said).toMatchObject({ code: 0 })
      const names = manifests(`${folder}/rules-test.yml`)[0]!["tests"].map(
        (test: { readonly name: string }) => test.name
      )
      const wanted = rules.flatMap(({ alert }) => [`${alert} is not raised`, `${alert} is raised`])
      expect(names).toEqual(wanted)
    })

    it("the scrape configuration is valid, and so is each query of the dashboard", () => {
      const config = promtool(["check", "config", join(root, folder, "prometheus.yml")])
      expect(config).toMatchObject({ code: 0 })
      const own = mkdtempSync(join(tmpdir(), "hub-dashboard-"))
      try {
        const recorded = panelQueries.map((expr, at) => ({
          record: `panel:${at}`,
          expr: expr.replaceAll("$__rate_interval", "1m")
        }))
        const file = join(own, "queries.yml")
        writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules: recorded }] }))
        const queried = promtool(["check", "rules", file])
        expect(queried, queried.said).toMatchObject({ code: 0 })
      } finally {
        rmSync(own, { recursive: true })
      }
    })
  })
})
