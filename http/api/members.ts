/** The contract of an account's members and invitations. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { roles } from "../../src/domain/account/roles.ts"
import { emailCharsMax } from "../../src/limits/gate.ts"
import { membersPageMax } from "../../src/limits/people.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import {
  bodyFailures,
  failures,
  idempotentFailures,
  publicFailures,
  recentLoginFailures,
  sessionFailures
} from "./failures.ts"
import { optional, optionalWord } from "./optional.ts"
import { millis, nextCursor, pageQuery, removed, Words } from "./shapes.ts"

const RoleName = Schema.Literals(roles).annotate({ description: "Each may do all that those before it may" })
const bound = "The daemons that they are bound to, by their tags; null: all of the account"

const Member = Schema.Struct({
  personId: Schema.String,
  email: Schema.String,
  role: RoleName,
  selector: Schema.NullOr(Schema.String).annotate({ description: bound }),
  invitedBy: Schema.NullOr(Schema.String).annotate({
    description: "Id of a person; null: they came with the account, or by the sign-in provider"
  }),
  since: millis
}).annotate({ identifier: "Member" })

const MemberList = Schema.Struct({ members: Schema.Array(Member), nextCursor }).annotate({ identifier: "MemberList" })

const MemberChange = Schema.Struct({
  role: optional(RoleName),
  selector: optional(Schema.String, "Binds a viewer or an operator to the daemons with these tags; empty: to none")
}).annotate({ identifier: "MemberChange" })

const RemovedMember = Schema.Struct({
  success: Schema.Literal(true),
  personId: Schema.String,
  revokedKeys: Schema.Array(Schema.String).annotate({ description: "Ids of the API keys that ended with them" })
}).annotate({ identifier: "RemovedMember" })

const Invitation = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  role: RoleName,
  selector: Schema.NullOr(Schema.String).annotate({ description: bound }),
  invitedBy: Schema.String.annotate({ description: "Id of a person" }),
  createdAt: millis,
  expiresAt: millis
}).annotate({ identifier: "Invitation" })

const NewInvitation = Schema.Struct({
  email: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(emailCharsMax)),
  role: RoleName,
  selector: optionalWord(Schema.String, "Binds a viewer or an operator to the daemons with these tags"),
  expiresAt: optional(millis, "Within 30 days; 7 days from now when absent")
}).annotate({ identifier: "NewInvitation" })

const CreatedInvitation = Schema.Struct({
  ...Invitation.fields,
  token: Schema.optionalKey(Schema.String).annotate({ description: "What accepts it; shown once" }),
  url: Schema.optionalKey(Schema.String).annotate({
    description:
      "The page of the console that accepts it, for who is invited; shown once. Relative to the hub's address where HUB_PUBLIC_URL is not set"
  })
}).annotate({ identifier: "CreatedInvitation" })

const InvitationList = Schema.Struct({ invitations: Schema.Array(Invitation) }).annotate({
  identifier: "InvitationList"
})
const RemovedInvitation = removed("RemovedInvitation")

const token = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))
const InvitationToken = Schema.Struct({ token }).annotate({ identifier: "InvitationToken" })

const ShownInvitation = Schema.Struct({
  account: Schema.Struct({
    id: Schema.String,
    email: Schema.String.annotate({ description: "The address that the account bears" })
  }),
  email: Schema.String.annotate({ description: "The address that is invited" }),
  role: RoleName,
  selector: Schema.NullOr(Schema.String).annotate({ description: bound }),
  expiresAt: millis,
  signsIn: Schema.Boolean.annotate({
    description: "Whether a person has the address, who signs in to accept; otherwise a password makes one"
  })
}).annotate({ identifier: "ShownInvitation" })

const Acceptance = Schema.Struct({
  token,
  password: optionalWord(
    Schema.String.check(Schema.isMaxLength(1_024)),
    "Of a person who is new here, who signs in with it from now on"
  )
}).annotate({ identifier: "Acceptance" })

const Accepted = Schema.Struct({
  accountId: Schema.String,
  personId: Schema.String,
  email: Schema.String.annotate({ description: "The address that was invited" }),
  role: RoleName
}).annotate({ identifier: "Accepted" })

const memberPath = "/api/v1/members/:personId"
const PersonParam = { personId: Schema.String.annotate({ description: "Id of a person who is a member" }) }
const read = { kind: "session", role: "admin", tool: false, onHangUp: "cancel" } as const
const change = {
  kind: "session",
  recent: true,
  tool: false,
  onHangUp: "finish",
  bodyBytes: 16_384
} as const
const manage = { ...change, role: "admin" } as const

const byToken = { kind: "public", signIn: true, idempotent: false, bodyBytes: 16_384, onHangUp: "finish" } as const

/** `/api/v1/members`, `/api/v1/invitations`, `/api/v1/auth/invitations/show` and `/accept`. */
export const Members = HttpApiGroup.make("members")
  .annotateMerge(OpenApi.annotations({ description: "People of an account: their roles, and who is invited." }))
  .add(
    HttpApiEndpoint.get("list", "/api/v1/members", {
      query: pageQuery(membersPageMax, "which it is when absent"),
      success: MemberList,
      error: failures(...sessionFailures, "ValidationFailed")
    })
      .annotate(Words, ["List members", "Those first who came first."])
      .annotateMerge(access({ ...read, role: "viewer" })),
    HttpApiEndpoint.patch("change", memberPath, {
      params: PersonParam,
      payload: MemberChange,
      success: Member,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound", "LastOwner")
    })
      .annotate(Words, [
        "Change a member's role",
        "In force on every node within a second: streams and calls that wait are judged again. An administrator gives roles up to their own, and changes no owner. The last owner stays one: 409 `LAST_OWNER`."
      ])
      .annotateMerge(access({ ...manage, audits: "member.changed" })),
    HttpApiEndpoint.delete("remove", memberPath, {
      params: PersonParam,
      success: RemovedMember,
      error: failures(...recentLoginFailures, "NotFound", "LastOwner")
    })
      .annotate(Words, [
        "Remove a member, or leave",
        "Ends the person's sessions and API keys in this account and nothing else: daemons, webhooks, jobs and join keys are the account's. Everyone may remove themselves, but the last owner."
      ])
      .annotateMerge(access({ ...change, role: "viewer", audits: "member.removed" })),
    HttpApiEndpoint.get("invitations", "/api/v1/invitations", {
      success: InvitationList,
      error: failures(...sessionFailures)
    })
      .annotate(Words, ["List invitations that wait", "Newest first."])
      .annotateMerge(access(read)),
    HttpApiEndpoint.post("invite", "/api/v1/invitations", {
      payload: NewInvitation,
      success: CreatedInvitation.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...recentLoginFailures,
        ...bodyFailures,
        ...idempotentFailures,
        "AlreadyMember",
        "InvitationLimitReached",
        "PeopleLimitReached"
      )
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotate(Words, [
        "Invite a person",
        "The hub sends no mail: hand the `url` over to whom it is for. It is good once, and as long as you may still invite to that role."
      ])
      .annotateMerge(access({ ...manage, secrets: ["token", "url"], audits: "invitation.created" })),
    HttpApiEndpoint.delete("uninvite", "/api/v1/invitations/:invitationId", {
      params: { invitationId: Schema.String.annotate({ description: "Id of an invitation of this account" }) },
      success: RemovedInvitation,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, ["Take an invitation back", "Its link is good for nothing from now on."])
      .annotateMerge(access({ ...manage, audits: "invitation.removed" })),
    HttpApiEndpoint.post("showInvitation", "/api/v1/auth/invitations/show", {
      payload: InvitationToken,
      success: ShownInvitation,
      error: failures(...publicFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, [
        "What an invitation is to, before it is accepted",
        "Needs no credential: the token, which is in no path, so that no log has it. An invitation that is unknown, used or over is 404."
      ])
      .annotateMerge(access({ ...byToken, audits: false })),
    HttpApiEndpoint.post("accept", "/api/v1/auth/invitations/accept", {
      headers: { authorization: Schema.optionalKey(Schema.String) },
      payload: Acceptance,
      success: Accepted,
      error: failures(
        ...publicFailures,
        ...bodyFailures,
        "AuthRequired",
        "NotFound",
        "AlreadyMember",
        "PeopleLimitReached"
      )
    })
      .annotate(Words, [
        "Accept an invitation",
        "With the dashboard session of the person whose address is invited; or, where no person has it, with a password, which makes one. 401 `AUTH_REQUIRED`: a person has the address and must sign in first. An invitation that is unknown, used, over or for another address is 404."
      ])
      .annotateMerge(access({ ...byToken, audits: "member.joined" }))
  )
