/** Accounts and credentials for tests, made as the command line and signing in make them. Owns their making only. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Edge } from "../../http/edge.ts"
import { perform } from "../../src/admin/operations.ts"
import type { AdminRequest } from "../../src/admin/requests.ts"
import { signToken } from "../../src/auth/session-tokens.ts"
import { DashboardSessions } from "../../src/auth/sessions.ts"
import { SigningKeys } from "../../src/auth/signing-keys.ts"
import type { Plan } from "../../src/domain/account/plans.ts"
import type { Role } from "../../src/domain/account/roles.ts"
import type { Scope } from "../../src/domain/account/scopes.ts"
import { newId } from "../../src/domain/ids.ts"
import type { HubServices } from "../../src/hub/layers.ts"
import { Accounts } from "../../src/store/accounts/accounts.ts"
import { Sessions } from "../../src/store/accounts/sessions.ts"

/** What kind of account. */
export interface TestAccountOptions {
  readonly plan?: Plan
  readonly admin?: boolean
  readonly password?: string
}

/** What kind of dashboard session. */
export interface TestSessionOptions {
  /** How long ago the login was; 0 by default. */
  readonly ageSeconds?: number
  /** When the login was, in epoch seconds, however long ago: the session lasts a day all the same. */
  readonly authTime?: number
  /** The token does not say when the login was. */
  readonly timeless?: boolean
  /** The token has expired a minute ago. */
  readonly expired?: boolean
}

/** Runs an effect with the services of a hub under test. */
export type Inside = <A, E>(effect: Effect.Effect<A, E, HubServices | Edge>) => Promise<A>

/** A member of an account who is not its first owner. */
export interface TestMember {
  readonly personId: string
  readonly email: string
  readonly session: (options?: TestSessionOptions) => Promise<string>
}

/** An account. */
export interface TestAccount {
  readonly accountId: string
  readonly email: string
  /** A new API key with exactly these scopes. */
  readonly key: (scopes: ReadonlyArray<Scope>) => Promise<string>
  /** The same with its id. */
  readonly keyRecord: (scopes: ReadonlyArray<Scope>) => Promise<{ readonly keyId: string; readonly key: string }>
  /** A new dashboard token. */
  readonly session: (options?: TestSessionOptions) => Promise<string>
  /** A new member with this role, bound to these daemons. */
  readonly member: (role: Role, selector?: string) => Promise<TestMember>
  /** A new daemon and its token. */
  readonly daemonToken: () => Promise<{ readonly daemonId: string; readonly token: string }>
}

let made = 0

/** A maker of accounts inside a hub. */
export const accountMaker = (inside: Inside, now: () => number) => {
  const operate = async (request: AdminRequest): Promise<Record<string, unknown>> => {
    const answer = await inside(perform(request))
    if (!answer.ok) throw new Error(`${request.op}: ${answer.refusal}`)
    return answer.answer
  }

  const session = (accountId: string, options: TestSessionOptions, personId?: string): Promise<string> =>
    inside(
      Effect.gen(function* () {
        const account = yield* Effect.fromNullishOr(yield* (yield* Accounts).byId(accountId))
        const seconds = Math.floor(now() / 1_000)
        const authTime = options.authTime ?? seconds - (options.ageSeconds ?? 0)
        if (options.timeless !== true && options.expired !== true && options.authTime === undefined)
          return (yield* (yield* DashboardSessions).start(account, authTime, personId)).token
        const id = newId("session")
        const day = 86_400
        yield* (yield* Sessions).start({
          id,
          accountId,
          ...(personId !== undefined && { personId }),
          authTime: authTime * 1_000,
          createdAt: now(),
          expiresAt: now() + day * 1_000
        })
        const claims = {
          accountId,
          sessionId: id,
          authTime: options.timeless === true ? undefined : authTime,
          issuedAt: seconds - day,
          expiresAt: options.expired === true ? seconds - 60 : seconds + day
        }
        return yield* signToken(claims, yield* (yield* SigningKeys).current)
      })
    )

  const member = async (accountId: string, role: Role, selector?: string): Promise<TestMember> => {
    const personId = newId("person")
    const email = `${personId}@example.org`
    const statements = (sql: SqlClient.SqlClient) =>
      Effect.andThen(
        sql`insert into people (id, email, email_key, created_at) values (${personId}, ${email}, ${email}, ${now()})`,
        sql`insert into memberships (account_id, person_id, role, selector, since)
          values (${accountId}, ${personId}, ${role}, ${selector ?? null}, ${now()})`
      )
    await inside(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, statements)))
    return { personId, email, session: (which = {}) => session(accountId, which, personId) }
  }

  return async (options: TestAccountOptions = {}): Promise<TestAccount> => {
    const { plan = "pro", admin = false, password } = options
    const email = `person${++made}.${process.pid}@example.org`
    const request = { op: "account create", email, plan, admin, ...(password !== undefined && { password }) } as const
    const accountId = String((await operate(request))["accountId"])
    const keyRecord: TestAccount["keyRecord"] = async (scopes) => {
      const { id, key } = await operate({ op: "key create", account: accountId, name: "a test's key", scopes })
      if (id === undefined || key === undefined) throw new Error("a key without its id")
      return { keyId: String(id), key: String(key) }
    }
    return {
      accountId,
      email,
      keyRecord,
      key: async (scopes) => (await keyRecord(scopes)).key,
      session: (which = {}) => session(accountId, which),
      member: (role, selector) => member(accountId, role, selector),
      daemonToken: async () => {
        const { daemonId, token } = await operate({ op: "token create", account: accountId })
        return { daemonId: String(daemonId), token: String(token) }
      }
    }
  }
}

/** Removes an account for ever, as the command line does: asks on until nothing is left. */
export const deleteAccount = async ({ inside }: { readonly inside: Inside }, account: string): Promise<void> => {
  let after: { readonly after: string } | undefined
  do {
    const answer = await inside(perform({ op: "account delete", account, yes: true, ...after }))
    if (!answer.ok) throw new Error(answer.refusal)
    after = answer.after === undefined ? undefined : { after: answer.after }
  } while (after !== undefined)
}
