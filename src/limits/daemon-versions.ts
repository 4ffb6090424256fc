/** Bounds of the versions of daemons. Unit last, with what happens at the bound. */

/** Policies of one account; one more: 400. */
export const versionPoliciesMax = 50
/** Characters of a policy's id; more: 400. */
export const versionPolicyIdCharsMax = 63
/** How long a canary may have to prove itself, in minutes (a week); longer: 400. */
export const canaryMinutesMax = 10_080
/** Failures after which a rollout stops, at most; more: 400. */
export const updateFailuresMax = 1_000
/** How often rollouts are looked at; a daemon that did not hear of its update is told again. */
export const rolloutMillis = 15_000
/** How long a daemon may take to download, start and come back; later: it failed. */
export const updateMillisMax = 900_000
/** How long it must then stay connected until the update counts. */
export const updateHoldMillis = 300_000
/** How long an update may take altogether, where the daemon comes back and leaves again; longer: it failed. */
export const updateAllMillisMax = 3_600_000
/** How often a node notes which daemons said that their update failed. */
export const failedUpdatesMillis = 1_000
/** Daemons that say so in that time; what one more says is forgotten, and it is told again. */
export const failedUpdatesMax = 10_000
/** Daemons of one policy that update at the same time; the others wait. */
export const updatesUnderWayMax = 100
/** Characters kept of why an update failed; more are cut. */
export const updateReasonCharsMax = 200
/** Accounts looked at by one step of a round; the others follow. */
export const rolloutAccountsStep = 100
/** Releases of the daemon that the hub keeps, its own among them; more: those that no policy names go. */
export const keptReleasesMax = 6
/** Further ones that policies name (0.7 MB each); more: the one served longest ago goes. */
export const namedReleasesMax = 50
/** Accounts whose states a node keeps; more: the least recently used is read again. */
export const versionStatesAccountsMax = 1_000
/** How long it keeps them. */
export const versionStatesMillis = 5_000
