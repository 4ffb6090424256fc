/** Bounds of calls that wait for an agent: chat turns in one call, and long polls of an agent's status. */

/** The longest wait in seconds; a longer one that is asked for counts as this. */
export const agentWaitSecondsMax = 50
/** The wait in seconds when none is asked for. */
export const waitSecondsUsual = 30
/** Calls that wait on a node; one more: 503. */
export const waitsMax = 5_000
/** Calls of one account that wait on a node; one more: 503. */
export const waitsPerAccountMax = 500
/** A version that a caller gives back, in characters; longer: 400. */
export const versionCharsMax = 64
/** How long another node is asked at once to watch an agent; then it is asked again. */
export const watchMillisMax = 10_000
/** How often an agent is looked for whose daemon is offline, or whose node does not answer. */
export const watchLookMillis = 1_000
/** A message that is waited for has at least so long to reach its agent. */
export const turnSendMillisMin = 10_000
/** How long a daemon may take for the chat of a turn. */
export const turnReadMillisMax = 5_000
/** An agent that is idle, and was not seen to begin, is asked for its chat after so long; the pause doubles. */
export const turnLookMillis = 500
/** The longest such pause. */
export const turnLookMillisMax = 8_000
