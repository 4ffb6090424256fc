/** Bounds of approvals: questions that agents wait on. Unit last, with what happens at the bound. */

/** Questions of one connection whose answers are remembered; more: the oldest is forgotten. */
export const answeredPromptsMax = 256
/** How long an answer that was sent keeps others from answering, while the daemon says nothing; then they may. */
export const answerClaimMillisMax = 60_000
/** Answered questions of all accounts that a node remembers; of older ones it is not said who answered. */
export const resolvedApprovalsMax = 20_000
/** Decisions by a policy that one event of a daemon counts for in the audit log; more count as so many. */
export const decisionsCountedMax = 1_000
/** Characters by which the audit log names a rule and its decision; more are cut. */
export const decidedDetailCharsMax = 200
/** Approvals of one page, more: this; and when nothing is said. */
export const approvalsPageMax = 100
/** Characters of the questions of one page, with one more question at most; the rest comes with the next. */
export const approvalsPageCharsMax = 524_288
/** Characters of what is said with an answer; more: 400. */
export const approvalMessageCharsMax = 2_000
/** Characters of what a question is about, in an event; more are cut. */
export const subjectCharsMax = 500
/** The last time a question is asked at or waits until, in epoch milliseconds; a later one is taken as this. */
export const approvalTimeMax = 999_999_999_999_999
