/**
 * The hub's log, one line per entry: JSON for collectors, plain text for a terminal. Owns the two forms and redacts
 * secrets in every text; does not decide what is logged.
 */
import { Cause, Layer, Logger, References } from "effect"
import type { Settings } from "../config.ts"
import { redactText } from "../domain/redaction/redaction.ts"
import { plain, plainJson, plainLines } from "./escape.ts"

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

const valueOf = (value: unknown): unknown => {
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack }
  return value
}

const causesMax = 8

/** What lies innermost in an error: the cause of its causes, or each of those it stands for, one for each address. */
const innermost = (error: unknown): ReadonlyArray<Error> => {
  let at = error
  for (let depth = 0; depth < causesMax && at instanceof Error; depth++) {
    if (at instanceof AggregateError) return at.errors.filter((one) => one instanceof Error)
    if (!(at.cause instanceof Error)) return [at]
    at = at.cause
  }
  return []
}

/** What the words of an entry do not say of its errors. A cause is written with all but those that one stands for. */
const hiddenIn = (parts: ReadonlyArray<unknown>, cause: Cause.Cause<unknown>): ReadonlyArray<string> => {
  const failures = cause.reasons.flatMap((reason) =>
    reason._tag === "Fail" ? [reason.error] : reason._tag === "Die" ? [reason.defect] : []
  )
  const several = failures.map(innermost).filter((errors) => errors.length > 1)
  const told = parts.map(innermost).map((errors) => errors.filter((error) => !parts.includes(error)))
  return [...told, ...several].flat().map(({ message }) => message)
}

const written = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(valueOf(value)) ?? String(value)
  } catch {
    return String(value) // it contains itself
  }
}

/** One entry as plain values. The first text is the message; objects are its fields. */
export const entryOf = (
  options: Pick<Logger.Options<unknown>, "message" | "logLevel" | "cause" | "date">,
  annotations: Readonly<Record<string, unknown>>
): Record<string, unknown> => {
  const parts = Array.isArray(options.message) ? options.message : [options.message]
  const words: Array<string> = []
  const facts: Record<string, unknown> = {}
  for (const part of parts) {
    if (typeof part === "object" && part !== null && !(part instanceof Error)) Object.assign(facts, part)
    else words.push(written(part))
  }
  const errors = hiddenIn(parts, options.cause)
  return {
    time: options.date.toISOString(),
    level: options.logLevel.toLowerCase(),
    message: words.join(" "),
    ...annotations,
    ...facts,
    ...(errors.length === 0 ? {} : { errors: errors.join("; ") }),
    ...(options.cause.reasons.length === 0 ? {} : { cause: Cause.pretty(options.cause) })
  }
}

/** For collectors: one JSON object per line. */
export const jsonLine = (entry: Record<string, unknown>): string => plainJson(redactText(written(entry)))

/** For a terminal. Only a cause has several lines, and none of them begins like an entry. */
export const prettyLine = ({ time, level, message, ...facts }: Record<string, unknown>): string => {
  const { cause, ...rest } = facts
  const pairs = Object.entries(rest).map(([name, value]) => ` ${name}=${written(value)}`)
  const tail = cause === undefined ? "" : plainLines(redactText(`\n${String(cause)}`)).replace(/\n(?! {4})/gu, "\n    ")
  const head = `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(message)}${pairs.join("")}`
  return plain(redactText(head)) + tail
}

/** The hub's log on stdout. `pretty`: for a terminal. */
export const layerLog = (
  settings: Pick<Settings, "logLevel">,
  pretty: boolean = process.stdout.isTTY === true
): Layer.Layer<never> => {
  const form = pretty ? prettyLine : jsonLine
  const logger = Logger.make((options: Logger.Options<unknown>) => {
    const annotations = options.fiber.getRef(References.CurrentLogAnnotations)
    process.stdout.write(`${form(entryOf(options, annotations))}\n`)
  })
  return Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel]))
}
