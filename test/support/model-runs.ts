/** How many random lives a model-based test plays: some in every run of the tests, more where the environment asks. */

const asked = Number(process.env.HUB_TEST_MODEL_RUNS)

/** The number that the environment asks for, or this one. */
export const modelRuns = (usual: number): number => (Number.isSafeInteger(asked) && asked > 0 ? asked : usual)
