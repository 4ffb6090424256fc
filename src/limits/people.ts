/** Bounds of members, invitations and service accounts beside those of the plan. Unit last, with what happens there. */

/** Invitations of one account that wait; one more: 403. */
export const invitationsPerAccountMax = 100
/** How long an invitation is good unless it says otherwise. */
export const invitationMillis = 7 * 86_400_000
/** How long it may be at most; longer: 400. */
export const invitationMillisMax = 30 * 86_400_000
/** The name of a service account in characters; longer: 400. */
export const serviceAccountNameCharsMax = 100
/** Keys of one service account that are neither revoked nor expired; one more: 409. Two let them be exchanged. */
export const serviceAccountKeysMax = 2
/** How long such a key is good unless it says otherwise. */
export const serviceAccountKeyMillis = 90 * 86_400_000
/** Members of a page of their list; more are asked for with its cursor. */
export const membersPageMax = 200
