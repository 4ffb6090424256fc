/** Bounds of policies, and of what is decided by them. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** Rules of one policy; more: 400. */
export const rulesPerPolicyMax = 200
/** Rules of a call that are read in one step (edge.ts has how many one turn does). (Some take 0.2 ms each.) */
export const rulesPerStepMax = 4
/** Rules of all policies of an account; a change beyond them: 400. */
export const rulesPerAccountMax = 1_000
/** Bytes of them as JSON, so that all of them fit one frame; a change beyond them: 400. */
export const rulesBytesMax = 131_072
/** Characters of one pattern of a rule; more: 400. */
export const rulePatternCharsMax = 512
/** Accounts whose policies one statement reads; the others follow. */
export const policyAccountsStep = 500
/** Daemons that are told policies in one turn; the others in the next. */
export const policyToldMax = 500
/** Different texts of one account's policies that are kept while its daemons are told; a further one is made again. */
export const policyTextsMax = 64
/** How long after daemons were told the next changes are read; at once where more accounts wait than a step takes. */
export const policyRoundMillis = 500
/** Characters of a policy's id; more: 400. */
export const policyIdCharsMax = 63
/** How long a question may be given to be answered, in seconds (a week); longer: 400. */
export const answerSecondsMax = 604_800
/** Characters of a shell line that is read; of a longer one nothing is known. */
export const shellLineCharsMax = 4_096
/** Commands of one line, those inside it included; a line of more is allowed by no rule. */
export const shellCommandsMax = 64
/** How deep a line may hold lines (substitutions, `sh -c`); deeper: no rule allows it. */
export const shellDepthMax = 6
/**
 * Characters of a resource that is not a shell line; of a longer one nothing is known. Also of a folder and an agent's
 * type in a case that is tried; more: 400.
 */
export const resourceCharsMax = 4_096
/** Characters that are compared with patterns for one question, each time one is; of more, no rule allows it. */
export const judgeStepsMax = 5_000_000
/** The same to find what of some rules has no effect; of more not all is warned of. */
export const warningStepsMax = 200_000
/** What one question asks for at once (paths, commands); one that asks for more is allowed by no rule. */
export const subjectsMax = 64
/** Warnings of one policy; more are left out. */
export const policyWarningsMax = 20

assert(rulesPerPolicyMax <= rulesPerAccountMax, "the largest policy must fit")
