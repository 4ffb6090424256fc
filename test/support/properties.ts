/**
 * fast-check, with the seed of the run: the same in each run of the gate, so that its verdict is about the change, a
 * new one at night, and that of `--seed`. Owns also how many random lives a model-based test plays.
 */
import fc from "fast-check"

const seed = Number(process.env["HUB_TEST_SEED"])
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
const livesAsked = Number(process.env["HUB_TEST_MODEL_RUNS"])

/** Parameters of `assert`: this many lives, or as many as HUB_TEST_MODEL_RUNS asks for. */
const modelRuns = (usual: number): { readonly numRuns: number } => ({
  numRuns: Number.isSafeInteger(livesAsked) && livesAsked > 0 ? livesAsked : usual
})

export { fc, modelRuns }
