/** The error bodies of what members, invitations and service accounts may not. Owns these rows of problems.ts. */
import { Schema } from "effect"
import { planLimit, type Rows } from "./problem-row.ts"

export const people = {
  PeopleLimitReached: {
    status: 403,
    reason: "PEOPLE_LIMIT_REACHED",
    sentence: "The plan allows no further person; invitations that wait count.",
    members: planLimit
  },
  ServiceAccountLimitReached: {
    status: 403,
    reason: "SERVICE_ACCOUNT_LIMIT_REACHED",
    sentence: "The plan allows no further service account. Remove one that is not needed.",
    members: planLimit
  },
  ServiceKeyLimitReached: {
    status: 409,
    reason: "SERVICE_KEY_LIMIT_REACHED",
    sentence: "The service account has as many keys as it may. Revoke the older one first.",
    members: { limit: Schema.Int }
  },
  InvitationLimitReached: {
    status: 403,
    reason: "INVITATION_LIMIT_REACHED",
    sentence: "Too many invitations wait. Take one back, or wait until one is accepted.",
    members: { limit: Schema.Int }
  },
  LastOwner: {
    status: 409,
    reason: "LAST_OWNER",
    sentence: "The account needs an owner. Make another member one first."
  },
  AlreadyMember: { status: 409, reason: "ALREADY_MEMBER", sentence: "This person is a member of the account already." }
} as const satisfies Partial<Rows>
