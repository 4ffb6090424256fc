/** Bounds of the daemon and shortcut routes: what callers may send and what daemons' answers are cut to. */

/** What is read of `X-Forwarded-For`, from its right end; the rest is not looked at. */
export const forwardedCharsMax = 4_096
/** A target id in characters; longer: 404 without a look. */
export const targetCharsMax = 1_024
/** A provider type, name, model or agent type in characters; longer: 400. */
export const wordCharsMax = 256
/** A folder in characters; longer: 400. */
export const pathCharsMax = 4_096
/** The id of a prompt in characters; longer: 400 of a caller, and a misfit of a daemon. */
export const promptIdCharsMax = 256
/** Parts of one chat message; more: 400. */
export const chatPartsMax = 1_000
/** Candidates named by AMBIGUOUS_TARGET; the rest is left out. */
export const candidatesMax = 50
/** How deep a debug bundle goes; what lies deeper is replaced by a mark. */
export const bundleDepthMax = 8
/** Elements of one array of a debug bundle; the rest is left out. */
export const bundleArrayMax = 80
/** Members of one object of a debug bundle; the rest is left out. */
export const bundleKeysMax = 120
/** Characters of one string of a debug bundle; the rest is cut. */
export const bundleStringCharsMax = 16_000
/** Of a debug bundle's bytes, what its text keeps when both are too long. */
export const bundleTextShareBytes = 262_144
/** Beyond the cut, what is still searched for secrets, so that none is halved by the cut and missed. */
export const redactionMarginChars = 4_096
/** A daemon's name given at enrolment, in characters; longer: 400. */
export const daemonNameCharsMax = 120
/** The words by which daemons are found, together; longer: 400. */
export const findCharsMax = 256
/** Of them so many; more: 400. */
export const findWordsMax = 8
/** Characters of a name by which what is found is put in order; those alike so far go by their ids. */
export const findKeyCharsMax = 256
/**
 * Rows of one page of a list of daemons or keys, also when no `limit` is given; more is this, and the rest comes with
 * the next.
 */
export const listPageMax = 1_000
/** How far apart the clocks of nodes are taken to be where a page goes by times that several of them said. */
export const clocksApartMillisMax = 60_000
/** How long a terminal command may say it took; more: this, and less than nothing is nothing. */
export const terminalMillisMax = 86_400_000
/** The least exit code that any system has; below it: this. */
export const exitCodeMin = -2_147_483_648
/** The greatest, of systems without a sign; above it: this. */
export const exitCodeMax = 4_294_967_295
