/**
 * fast-check, with the seed of the run: the same in each run of the gate, so that its verdict is about the change, a
 * new one at night, and that of `--seed`. Owns nothing else.
 */
import fc from "fast-check"

const seed = Number(process.env["HUB_TEST_SEED"])
if (Number.isSafeInteger(seed)) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })

export { fc }
