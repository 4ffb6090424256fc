/** What the store keeps of grants, as values: codes, grants, tokens. Owns the shapes and the columns; runs nothing. */
import type { Member } from "../../domain/account/member.ts"
import type { Plan } from "../../domain/account/plans.ts"
import type { Scope } from "../../domain/account/scopes.ts"

/** What a person granted to a client. Times are epoch milliseconds; null: has not happened. */
export interface Grant {
  readonly id: string
  readonly accountId: string
  /** Who granted it: it may never more than they may, and ends with their membership. */
  readonly personId: string
  readonly clientId: string
  readonly clientName: string
  readonly redirectHost: string
  readonly scopes: ReadonlyArray<Scope>
  /** The daemons that it is bound to; null: all. */
  readonly selector: string | null
  /** It stays connected by refresh tokens. */
  readonly offline: boolean
  readonly createdAt: number
  readonly lastUsedAt: number | null
  /** When it ends, unless it is refreshed. */
  readonly expiresAt: number
}

/** A code that waits for its client, with what it will give. */
export interface Code
  extends Pick<
    Grant,
    "accountId" | "personId" | "clientId" | "clientName" | "redirectHost" | "scopes" | "selector" | "offline"
  > {
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** The hashes of new tokens, and when they end. Without a refresh token the grant ends with its access token. */
export interface NewTokens {
  readonly access: string
  readonly accessExpiresAt: number
  readonly refresh: string | undefined
  readonly grantExpiresAt: number
}

/** A grant that has ended, and the jobs that it started, which are cancelled with it. */
export interface EndedGrant extends Pick<Grant, "accountId"> {
  readonly grantId: string
  readonly cancelledJobs: ReadonlyArray<string>
}

/**
 * How a code or a refresh token was taken. "reused": it had been used before, and its grant is gone. "refused": it is
 * unknown or over, or was not for this call.
 */
export type Taken =
  | { readonly state: "granted"; readonly grant: Grant }
  | ({ readonly state: "reused" } & EndedGrant)
  | { readonly state: "refused" }

/** What an access token is good for. The caller judges the times. */
export interface TokenHolder extends Pick<Grant, "accountId" | "scopes" | "selector"> {
  readonly grantId: string
  readonly expiresAt: number
  readonly member: Member
  readonly plan: Plan
  readonly accountDisabled: boolean
}

/** The columns of a grant. */
export const grantColumns = `g.id, g.account_id as "accountId", g.person_id as "personId", g.client_id as "clientId", g.client_name as "clientName",
  g.redirect_host as "redirectHost", g.scopes, g.selector, g.offline, g.created_at as "createdAt",
  g.last_used_at as "lastUsedAt", g.expires_at as "expiresAt"`
