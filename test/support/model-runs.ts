/**
 * How many random lives a model-based test plays, and from which seed: the same ones in every run of the tests, so that
 * its verdict is about the change; new ones, and as many as the environment asks for, with HUB_TEST_MODEL_RUNS.
 */

const asked = Number(process.env.HUB_TEST_MODEL_RUNS)
const usualSeed = 20_261_124

/** Parameters of fast-check's `assert`: this many lives of the usual seed, or what the environment asks for. */
export const modelRuns = (usual: number): { readonly numRuns: number; readonly seed?: number } =>
  Number.isSafeInteger(asked) && asked > 0 ? { numRuns: asked } : { numRuns: usual, seed: usualSeed }
