/**
 * fast-check, with the seed of the run: the same in each run of the gate, so that its verdict is about the change, a
 * new one at night, and that of `--seed`. Owns also how many random lives a model-based test plays.
 */
import fc from "fast-check"

const seed = Number(process.env["HUB_TEST_SEED"])
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
const livesAsked = Number(process.env["HUB_TEST_MODEL_RUNS"])

/** How many lives: this many, or as many as HUB_TEST_MODEL_RUNS asks for. */
const modelRuns = (usual: number): number => (Number.isSafeInteger(livesAsked) && livesAsked > 0 ? livesAsked : usual)

// biome-ignore lint/suspicious/noConfusingVoidType: as fast-check has it
type Verdict = boolean | void
type Arbitraries<Values> = { [Each in keyof Values]: fc.Arbitrary<Values[Each]> }
/** What is asserted: of values of these arbitraries, by the last argument. */
type Claim<Values extends ReadonlyArray<unknown>, Answer> = [
  ...arbitraries: Arbitraries<Values>,
  holds: (...values: Values) => Answer
]
/** How often, where that is not fast-check's usual 100, stands before the claim. */
type Split = (claim: ReadonlyArray<unknown>) => [runs: { readonly numRuns?: number }, claim: never]
const split: Split = ([first, ...rest]) =>
  typeof first === "number" ? [{ numRuns: first }, rest as never] : [{}, [first, ...rest] as never]

/** Asserts that a property holds: `forAll(fc.nat(), (n) => …)`, or `forAll(20, fc.nat(), (n) => …)` for 20 values. */
function forAll<Values extends [unknown, ...Array<unknown>]>(...claim: Claim<Values, Verdict>): void
function forAll<Values extends [unknown, ...Array<unknown>]>(runs: number, ...claim: Claim<Values, Verdict>): void
function forAll(...given: ReadonlyArray<unknown>): void {
  const [runs, claim] = split(given)
  fc.assert(fc.property(...(claim as Parameters<typeof fc.property>)), runs)
}

/** The same of a property that is asked with a promise. */
function forAllAsync<Values extends [unknown, ...Array<unknown>]>(
  ...claim: Claim<Values, Promise<Verdict>>
): Promise<void>
function forAllAsync<Values extends [unknown, ...Array<unknown>]>(
  runs: number,
  ...claim: Claim<Values, Promise<Verdict>>
): Promise<void>
function forAllAsync(...given: ReadonlyArray<unknown>): Promise<void> {
  const [runs, claim] = split(given)
  return fc.assert(fc.asyncProperty(...(claim as Parameters<typeof fc.asyncProperty>)), runs)
}

const surrogates = 0x800
/** As fast-check's unit "binary", which makes a table of all 1,112,064 in each worker: a second and 100 MB. */
const anyCharacter = fc.nat(0x10ffff - surrogates).map(
  (nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + surrogates),
  (text) => {
    const [character = "", ...more] = String(text)
    const code = character.codePointAt(0)
    if (code === undefined || more.length > 0 || (code >= 0xd800 && code < 0xe000)) throw new Error("no character")
    return code < 0xd800 ? code : code - surrogates
  }
)

/** Texts of any characters, also those that are not written. */
const anyText = (constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter })

export { anyText, fc, forAll, forAllAsync, modelRuns }
