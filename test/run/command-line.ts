/** What `./hub test` was asked for. Owns the options and their faults; runs nothing. */
import { parseArgs } from "node:util"

/** Which tests run. `fast`: rules, stores, one story. `gate`: what a change can break. `night`: also what explores. */
export type Tier = "fast" | "gate" | "night"

/** What is run. */
export interface Asked {
  readonly tier: Tier
  /** Parts of the paths of test files; all where there is none. With `related` the changed files instead. */
  readonly files: ReadonlyArray<string>
  readonly related: boolean
  /** Only tests whose name matches. */
  readonly name: string | undefined
  /** Of the properties and models. */
  readonly seed: number | undefined
  /** Words for Vitest. */
  readonly more: ReadonlyArray<string>
}

/** Shown for words that are not understood. */
export const usage = `usage: ./hub test [--fast | --night] [--related] [FILE …] [-t NAME] [--seed N] [--project NAME] [-u]
  --fast      rules, each store on one database, one story: within a minute
  --night     also the tests that explore (.ci/night runs them in parts)
  --related   the tests that a change of these files can break
  FILE        a part of the paths of test files
  -t NAME     the tests whose name matches
  --seed N    what properties and models are drawn from
  --project   rules, postgres, embedded or contract
  -u          write snapshots anew`

const options = {
  fast: { type: "boolean", default: false },
  night: { type: "boolean", default: false },
  related: { type: "boolean", default: false },
  testNamePattern: { type: "string", short: "t" },
  seed: { type: "string" },
  project: { type: "string", multiple: true },
  update: { type: "boolean", short: "u", default: false },
  help: { type: "boolean", short: "h", default: false }
} as const

/** Reads the words; a sentence where they are not understood, and the usage where it is asked for. */
export const readCommandLine = (words: ReadonlyArray<string>): Asked | string => {
  let read: ReturnType<typeof parse>
  try {
    read = parse(words)
  } catch (error) {
    return `${(error as Error).message.split(". ")[0]}\n${usage}`
  }
  const { values, positionals: files } = read
  if (values.help) return usage
  const seed = values.seed === undefined ? undefined : Number(values.seed)
  if (seed !== undefined && !Number.isSafeInteger(seed))
    return `--seed takes a whole number, not ${values.seed}\n${usage}`
  if (values.fast && values.night) return `--fast and --night do not go together\n${usage}`
  if (values.related && files.length === 0) return `--related takes the files that changed\n${usage}`
  return {
    tier: values.fast ? "fast" : values.night || files.some((file) => file.includes(".night.")) ? "night" : "gate",
    files,
    related: values.related,
    name: values.testNamePattern,
    seed,
    more: [...(values.project ?? []).flatMap((name) => ["--project", name]), ...(values.update ? ["--update=all"] : [])]
  }
}

const parse = (words: ReadonlyArray<string>) => parseArgs({ args: [...words], options, allowPositionals: true })
