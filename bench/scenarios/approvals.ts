/**
 * How soon is a question of an agent an event, from its daemon's frame to a stream of its account? One process has both
 * ends, so that one clock measures.
 */
import { build, type Histogram } from "hdr-histogram-js"
import { type BenchOptions, type Outcome, withFixture } from "../fixture.ts"
import { connectDaemon } from "../fleet/daemon.ts"
import { middle, middleAtMost } from "../report/compare.ts"
import { shown } from "../report/figures.ts"
import { type BenchAccount, type BenchHub, enrol } from "../servers/hub.ts"

/** As many that none is slowed down for its frames. */
const daemonsUsual = 10
const perSecond = 50
const warmSeconds = 2
const patienceMillis = 10_000
const goalMillis = 5
const mark = '"promptId":"q'

const reportOf = (question: number) => ({
  timestamp: question,
  sessions: [
    {
      ...{ id: "s1", providerType: "bench", kind: "agent", transport: "acp", status: "waiting_approval" },
      activeModal: { promptId: `q${question}`, message: "Run it?", buttons: ["Yes", "No"] }
    }
  ]
})

/** Reads the stream until it is cut; `told` is given the number of each question. */
const listen = async (
  { url }: BenchHub,
  { key }: BenchAccount,
  signal: AbortSignal,
  told: (question: number) => void
): Promise<void> => {
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}/api/v1/events?event=approval:requested`, { headers, signal })
  if (!answer.ok) throw new Error(`the stream was refused with ${answer.status}`)
  const read = async (): Promise<void> => {
    let rest = ""
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop()!
      for (const line of lines) {
        const at = line.indexOf(mark)
        if (at >= 0) told(Number.parseInt(line.slice(at + mark.length), 10))
      }
    }
  }
  void read().catch(() => undefined)
}

/** Runs the scenario. */
export const approvals = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async ({ hub, account }) => {
    const tokens = await enrol(hub, account, options.daemons ?? daemonsUsual)
    const daemons = await Promise.all(tokens.map(({ token }) => connectDaemon(hub.url, token)))
    const leave = new AbortController()
    const askedAt = new Map<number, number>()
    let histogram: Histogram = build()
    await listen(hub, account, leave.signal, (question) => {
      const at = askedAt.get(question)
      askedAt.delete(question)
      if (at !== undefined) histogram.recordValue(Math.max(1, Math.round((performance.now() - at) * 1_000)))
    })
    let asked = 0
    const ask = async (seconds: number): Promise<Histogram> => {
      histogram = build()
      const started = performance.now()
      for (let n = 0; n < perSecond * seconds; n++) {
        const wait = started + (n * 1_000) / perSecond - performance.now()
        if (wait > 0) await new Promise((go) => setTimeout(go, wait))
        askedAt.set(++asked, performance.now())
        daemons[asked % daemons.length]!.send("status_report", reportOf(asked))
      }
      const until = performance.now() + patienceMillis
      while (askedAt.size > 0 && performance.now() < until) await new Promise((go) => setTimeout(go, 10))
      if (askedAt.size > 0) throw new Error(`${askedAt.size} questions were told to no stream`)
      return histogram
    }
    try {
      const runs: Array<Histogram> = []
      for (let run = 0; run <= options.runs; run++) {
        options.say(run === 0 ? "approvals: warm-up" : `approvals: run ${run} of ${options.runs}`)
        const measured = await ask(run === 0 ? Math.min(warmSeconds, options.seconds) : options.seconds)
        if (run > 0) runs.push(measured)
      }
      const at = (percentile: number) => runs.map((run) => run.getValueAtPercentile(percentile) / 1_000)
      return {
        figures: [
          middleAtMost("question_to_event_p50_ms", at(50), "ms", goalMillis),
          middle("question_to_event_p99_ms", at(99), "ms"),
          shown("question_to_event_per_s", perSecond, "/s")
        ]
      }
    } finally {
      leave.abort()
      for (const daemon of daemons) daemon.close()
    }
  })
