/**
 * Does any input break the hub? Every surface under inputs drawn from a seed, each surface with a hub of its own. Owns
 * the hubs and the figures; the inputs and the verdicts are bench/fuzz/.
 */
import { type BenchOptions, coreOfServer, type Outcome } from "../fixture.ts"
import { endsText, type Surface, surfaces } from "../fuzz/findings.ts"
import { type Played, playSurface, startFuzzedHub } from "../fuzz/run.ts"
import { atMost, type Figure, shown } from "../report/figures.ts"
import { startPostgres } from "../servers/postgres.ts"

const usualInputs = 1_000_000
const tinyInputs = 300
const seedsMax = 2 ** 31
const mebibyte = 1_048_576

/** A seed for a run that is given none. */
const newSeed = (): number => 1 + (Date.now() % (seedsMax - 1))

const figuresOf = ({ tally, before, middle, after }: Played): ReadonlyArray<Figure> => {
  const name = `fuzz_${tally.surface}`
  return [
    atMost(`${name}_findings`, tally.findings, "", 0),
    shown(`${name}_inputs`, tally.inputs, ""),
    shown(`${name}_structured`, tally.structured, ""),
    shown(`${name}_per_s`, tally.inputs / (tally.millis / 1_000), "/s"),
    shown(`${name}_heap_mb`, after.heap / mebibyte, "MB"),
    shown(`${name}_heap_growth_mb`, (after.heap - before.heap) / mebibyte, "MB"),
    shown(`${name}_late_heap_growth_mb`, (after.heap - middle.heap) / mebibyte, "MB"),
    shown(`${name}_rss_growth_mb`, (after.rss - before.rss) / mebibyte, "MB"),
    shown(`${name}_sockets_more`, after.sockets - before.sockets, "")
  ]
}

const notesOf = ({ tally }: Played): ReadonlyArray<string> => [
  `${tally.surface}, seed ${tally.seed}: ${endsText(tally)}`,
  ...tally.told.map((one) => `FOUND ${one}`),
  ...(tally.findings > tally.told.length ? [`and ${tally.findings - tally.told.length} findings more`] : [])
]

const fuzzOne = async (options: BenchOptions, surface: Surface, seed: number): Promise<Played> => {
  options.say(`fuzz ${surface}: starting a hub`)
  const postgres = options.database === "postgres" ? await startPostgres() : undefined
  const core = coreOfServer(options)
  try {
    const fuzzed = await startFuzzedHub({
      settings: { ...(postgres === undefined ? {} : { DATABASE_URL: postgres.url }), ...options.settings },
      nodeArguments: options.nodeArguments ?? [],
      ...(core === undefined ? {} : { core })
    })
    try {
      return await playSurface(fuzzed, surface, {
        seeds: [seed],
        first: options.first ?? 0,
        inputs: options.inputs ?? (options.tiny === true ? tinyInputs : usualInputs),
        say: options.say
      })
    } finally {
      await fuzzed.stop()
    }
  } finally {
    await postgres?.stop()
  }
}

/** Runs the scenario. */
export const fuzz = async (options: BenchOptions): Promise<Outcome> => {
  const seed = options.seed ?? newSeed()
  const played: Array<Played> = []
  for (const surface of surfaces.filter((one) => options.only?.includes(one) ?? true)) {
    played.push(await fuzzOne(options, surface, seed))
  }
  return { figures: played.flatMap(figuresOf), notes: played.flatMap(notesOf) }
}
