/** A membership that is read with another row, such as a session or a key. Owns how its columns become one member. */
import type { Member } from "../../domain/account/member.ts"

/** A membership beside the columns of another row. */
export interface MemberColumns {
  readonly memberPerson: string | null
  readonly memberRole: Member["role"] | null
  readonly memberSelector: string | null
}

/** The row with its membership as one member. */
export const withMember = <R extends MemberColumns>({
  memberPerson: personId,
  memberRole: role,
  memberSelector: selector,
  ...rest
}: R): Omit<R, keyof MemberColumns> & { readonly member: Member | null } => ({
  ...rest,
  member: personId === null || role === null ? null : { personId, role, selector }
})
