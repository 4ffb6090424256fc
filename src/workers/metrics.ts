/**
 * The metrics of all workers as one text of the Prometheus format: each series gets a label with its worker, so that no
 * two are one. Owns who is asked, how long, and the order of the text; counts nothing itself.
 */
import { Effect, Option } from "effect"
import { workerMetricsCharsMax, workerMetricsMillisMax } from "../limits/workers.ts"
import type { Worker } from "./worker.ts"

/** A worker by the name it has in the metrics. `worker` undefined: none serves under it now. */
export interface NamedWorker {
  readonly name: string
  readonly worker: Pick<Worker, "metrics"> | undefined
}

/** What a worker answered; undefined: nothing in time. */
export interface WorkerText {
  readonly name: string
  readonly text: string | undefined
}

interface Family {
  readonly head: string
  readonly samples: Array<string>
}

/** `name{a="b"} 1` or `name 1`, with one label more. */
const labelled = (sample: string, label: string): string => {
  const end = /[{ ]/u.exec(sample)!.index
  return sample[end] === "{"
    ? `${sample.slice(0, end)}{${label},${sample.slice(end + 1)}`
    : `${sample.slice(0, end)}{${label}}${sample.slice(end)}`
}

const gather = (families: Map<string, Family>, text: string, label: string): void => {
  let help = ""
  let family: Family | undefined
  for (const line of text.split("\n")) {
    if (line === "") continue
    if (line.startsWith("# HELP ")) {
      help = line
    } else if (line.startsWith("# TYPE ")) {
      family = families.get(line) ?? { head: `${help}\n${line}`, samples: [] }
      families.set(line, family)
    } else {
      family?.samples.push(labelled(line, label))
    }
  }
}

const labelOf = (name: string): string => `worker="${name}"`

/** One text of several. */
export const mergedMetrics = (all: ReadonlyArray<WorkerText>): string => {
  const families = new Map<string, Family>()
  const up = { head: "# HELP hub_worker_up Whether a worker answered this scrape\n# TYPE hub_worker_up gauge" }
  families.set("hub_worker_up", {
    ...up,
    samples: all.map(({ name, text }) => `hub_worker_up{${labelOf(name)}} ${text === undefined ? 0 : 1}`)
  })
  for (const { name, text } of all) if (text !== undefined) gather(families, text, labelOf(name))
  return [...families.values()].map(({ head, samples }) => `${head}\n${samples.join("\n")}\n`).join("")
}

const textOf = ({ name, worker }: NamedWorker): Effect.Effect<WorkerText> =>
  worker === undefined
    ? Effect.succeed({ name, text: undefined })
    : Effect.map(Effect.timeoutOption(worker.metrics, workerMetricsMillisMax), (found) => {
        const text = Option.getOrUndefined(found)
        return { name, text: text !== undefined && text.length > workerMetricsCharsMax ? undefined : text }
      })

/** Asks these workers at once and gives their metrics as one text. */
export const gatherMetrics = (workers: ReadonlyArray<NamedWorker>): Effect.Effect<string> =>
  Effect.map(Effect.forEach(workers, textOf, { concurrency: "unbounded" }), mergedMetrics)
