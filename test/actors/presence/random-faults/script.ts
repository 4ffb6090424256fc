/**
 * What may befall a hub of several nodes and its daemons, as data that is drawn at random and can be kept: faults in
 * their order, and a life for each daemon. Owns the steps and their weights; does nothing.
 */
import * as fc from "fast-check"

export const nodesMax = 3
const daemonsMax = 12
const revokedMax = 2
const faultsMin = 3

const node = fc.nat({ max: nodesMax - 1 })
const which = <A extends string>(word: A) => fc.constant(word)
const short = fc.constantFrom(0, 15, 60, 250)
const span = fc.constantFrom(300, 1_500, 4_000, 7_500)

/** One step of a daemon's life. */
export const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: which("dial"), node }) },
  { weight: 2, arbitrary: fc.record({ do: which("race"), node, other: node }) },
  { weight: 3, arbitrary: fc.record({ do: which("leave"), seen: fc.nat({ max: 3 }).map((one) => one > 0) }) },
  { weight: 4, arbitrary: fc.record({ do: which("lose") }) },
  { weight: 2, arbitrary: fc.record({ do: which("order"), node, seen: fc.nat({ max: 3 }).map((one) => one > 0) }) },
  { weight: 3, arbitrary: fc.record({ do: which("awaitEnd") }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: which("pause"), millis: fc.constantFrom(0, 10, 80, 400, 900, 1_300, 2_500) })
  }
)

/** Something that goes wrong, and for how long. */
export const fault = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: which("flush") }) },
  { weight: 1, arbitrary: fc.record({ do: which("redisDown"), millis: span }) },
  { weight: 1, arbitrary: fc.record({ do: which("redisHangs"), millis: span }) },
  { weight: 2, arbitrary: fc.record({ do: which("redisCut"), node, millis: span }) },
  { weight: 1, arbitrary: fc.record({ do: which("redisReset") }) },
  { weight: 2, arbitrary: fc.record({ do: which("postgresCut"), node, millis: span }) },
  { weight: 2, arbitrary: fc.record({ do: which("postgresStall"), node, millis: span, late: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: which("postgresSlow"), node, millis: span, request: short, answer: short }) },
  { weight: 3, arbitrary: fc.record({ do: which("loseAnswers"), node, next: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: which("terminate") }) },
  { weight: 1, arbitrary: fc.record({ do: which("postgresAway"), millis: span }) },
  { weight: 1, arbitrary: fc.record({ do: which("lock"), millis: fc.constantFrom(200, 1_200) }) },
  { weight: 2, arbitrary: fc.record({ do: which("isolate"), node, millis: span }) },
  { weight: 4, arbitrary: fc.record({ do: which("kill"), node, millis: span, atWrite: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: which("stop"), node, millis: span }) }
)

export type Step =
  | (typeof step extends fc.Arbitrary<infer A> ? A : never)
  | { readonly do: "revoke"; readonly node: number }
export type Fault = typeof fault extends fc.Arbitrary<infer A> ? A : never

/** All of it. */
export interface Script {
  readonly nodes: number
  /** A single node, without Redis. */
  readonly isAlone: boolean
  /** Each after so many milliseconds from the one before. */
  readonly faults: ReadonlyArray<{ readonly after: number; readonly fault: Fault }>
  readonly daemons: ReadonlyArray<ReadonlyArray<Step>>
}

const life: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(step, { minLength: 6, maxLength: 18, size: "max" })
/** One that is revoked before the end and dials once more. */
const revokedLife = fc
  .tuple(life, node)
  .map(([steps, at]): ReadonlyArray<Step> => [...steps, { do: "revoke", node: at }, { do: "dial", node: at }])

/** A script; without faults its counts are exact. */
export const scripts = (faultsMax: number): fc.Arbitrary<Script> =>
  fc.record({
    nodes: fc.constantFrom(1, 2, 2, 3, 3),
    isAlone: fc.boolean(),
    faults: fc.array(fc.record({ after: fc.constantFrom(50, 400, 1_100, 2_300), fault }), {
      minLength: Math.min(faultsMin, faultsMax),
      maxLength: faultsMax,
      size: "max"
    }),
    daemons: fc
      .tuple(
        fc.array(life, { minLength: daemonsMax - revokedMax, maxLength: daemonsMax - revokedMax }),
        fc.array(revokedLife, { minLength: revokedMax, maxLength: revokedMax })
      )
      .map(([some, revoked]) => [...some, ...revoked])
  })

/** The script of a seed. */
export const scriptOf = (seed: number, faultsMax = 7): Script => {
  const drawn = fc.sample(scripts(faultsMax), { seed, numRuns: 1 })[0]!
  return { ...drawn, isAlone: drawn.isAlone && drawn.nodes === 1 }
}

/** How many seeds a run of the tests draws beyond those it names, and from which on. */
export const furtherSeeds: ReadonlyArray<number> = Array.from(
  { length: Number(process.env["HUB_TEST_PRESENCE_RUNS"] ?? 0) },
  (_, at) => Number(process.env["HUB_TEST_PRESENCE_SEED"] ?? 1_000) + at
)
