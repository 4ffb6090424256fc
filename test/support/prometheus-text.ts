/**
 * A strict reader of the Prometheus text format, with the rules of `promtool check metrics` that concern the hub. Owns
 * the grammar; it throws at the first line that does not conform.
 */

/** One metric family: all series of one name. */
export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  /** The samples by their name and labels, as they were written. */
  readonly samples: ReadonlyMap<string, number>
}

const helpLine = /^# HELP ([a-z][a-z0-9_]*) (\S.*)$/u
const typeLine = /^# TYPE ([a-z][a-z0-9_]*) (counter|gauge|histogram)$/u
const sampleLine =
  /^([a-z][a-z0-9_]*)(\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})? (\+Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/u

const numberOf = (text: string): number => (text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text))

const belongs = ({ name, type }: Family, sample: string): boolean =>
  type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample) : sample === name

const checkName = ({ name, type }: Family): void => {
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`)
  if (/_(?:bucket|sum|count|millis|milliseconds|kb|mb)$/u.test(name))
    throw new Error(`${name} ends with a wrong suffix`)
}

const bucketOf = /^(\w+)_bucket\{(.*?),?le="([^"]+)"\}$/u

/** The buckets of each series grow with their bounds, end with +Inf, and the last is the count. */
const checkBuckets = ({ name, samples }: Family): void => {
  const last = new Map<string, readonly [bound: number, sum: number]>()
  for (const [sample, value] of samples) {
    const [, , labels, bound] = bucketOf.exec(sample) ?? []
    if (labels === undefined || bound === undefined) continue
    const [boundBefore, before] = last.get(labels) ?? [Number.NEGATIVE_INFINITY, 0]
    if (numberOf(bound) <= boundBefore || value < before) throw new Error(`${sample} does not follow its bucket before`)
    last.set(labels, [numberOf(bound), value])
  }
  for (const [labels, [bound, sum]] of last) {
    const count = samples.get(`${name}_count${labels === "" ? "" : `{${labels}}`}`)
    if (bound !== Number.POSITIVE_INFINITY || sum !== count) throw new Error(`${name}{${labels}} has no whole count`)
  }
}

/** Reads a whole text. */
export const readPrometheus = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, Family & { readonly samples: Map<string, number> }>()
  const lines = text.slice(0, -1).split("\n")
  let present: (Family & { readonly samples: Map<string, number> }) | undefined
  for (let at = 0; at < lines.length; at++) {
    const help = helpLine.exec(lines[at]!)
    if (help !== null) {
      const type = typeLine.exec(lines[++at] ?? "")
      if (type === null || type[1] !== help[1]) throw new Error(`no type follows: ${lines[at]}`)
      if (families.has(type[1]!)) throw new Error(`${type[1]} appears twice`)
      present = { name: type[1]!, type: type[2] as Family["type"], help: help[2]!, samples: new Map() }
      checkName(present)
      families.set(present.name, present)
      continue
    }
    const sample = sampleLine.exec(lines[at]!)
    if (sample === null || present === undefined || !belongs(present, sample[1]!)) throw new Error(lines[at]!)
    const series = `${sample[1]}${sample[2] ?? ""}`
    if (present.samples.has(series)) throw new Error(`${series} appears twice`)
    present.samples.set(series, numberOf(sample[3]!))
  }
  for (const family of families.values()) if (family.type === "histogram") checkBuckets(family)
  return families
}
