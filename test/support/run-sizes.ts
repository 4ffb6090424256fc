/**
 * How large a run is that is also wanted larger: `HUB_TEST_DAEMONS=5000 ./hub test FILE`. Owns the reading of the
 * environment; each test says which of its sizes may be asked for.
 */

/** A whole number that the environment asks for as HUB_TEST_<name>, or what is usual. */
export const sizeOf = (name: string, usual: number): number => {
  const asked = Number(process.env[`HUB_TEST_${name}`])
  return Number.isSafeInteger(asked) && asked > 0 ? asked : usual
}

/** Whether this is the tier that explores. */
export const atNight = process.env["HUB_TEST_TIER"] === "night"

/** Whether this is the one for before each save, which has one story told once. */
export const inHaste = process.env["HUB_TEST_TIER"] === "fast"
