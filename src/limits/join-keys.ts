/** Bounds of join keys and of the machines that come by them. Unit last, with what happens at the bound. */

/** Join keys of one account, those that ended lately included; one more: 403. */
export const joinKeysPerAccountMax = 100
/** The name of a join key in characters; longer: 400. */
export const joinKeyNameCharsMax = 100
/** Machines that one join key takes, where it says how many; more: 400. */
export const joinKeyUsesMax = 1_000_000
/** How long an ephemeral daemon may be kept after it left, in minutes (30 days); longer: 400. */
export const removeAfterMinutesMax = 43_200
/** What a machine names itself by, in characters; longer: 400. */
export const machineIdCharsMax = 200
/** Machines that join by one key within a minute; more: 429. */
export const joinsPerMinuteMax = 1_000
/** A machine's hostname in characters; longer: 400. */
export const hostnameCharsMax = 255
/** A join key that ended is listed for so long; then it is removed. */
export const joinKeyKeptMillis = 7 * 86_400_000
/** How often daemons are looked for that are to be removed. */
export const ephemeralSweepMillis = 15_000
/** Daemons that one step of that removes; the rest goes with the next. */
export const ephemeralStepMax = 200
