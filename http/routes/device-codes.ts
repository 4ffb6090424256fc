/**
 * The routes of the authorization of devices. Owns who may allow what, and how wrong codes are limited; the store has
 * the devices, and makes their keys.
 */
import { Clock, Effect } from "effect"
import { LoginLimits } from "../../actors/limits/login-limits.ts"
import { hashCredential, makeKey, shownPrefix } from "../../src/auth/api-key.ts"
import { joinKeyTokens } from "../../src/auth/checksummed-token.ts"
import { isDeviceCode, makeDeviceCode, makeUserCode, readUserCode } from "../../src/auth/device-code.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { isAtLeast } from "../../src/domain/account/roles.ts"
import { newId } from "../../src/domain/ids.ts"
import {
  AccessDenied,
  AuthForbidden,
  AuthInvalid,
  AuthorizationPending,
  ExpiredToken,
  invalid,
  NotFound,
  Overloaded,
  RoleTooLow,
  SlowDown,
  type StoreFailed
} from "../../src/errors.ts"
import {
  demonstrationMinutes,
  deviceCodeMillis,
  deviceCodesRetrySeconds,
  devicePollSeconds,
  userCodeTriesMax
} from "../../src/limits.ts"
import { masked } from "../../src/runtime/escape.ts"
import { type ApprovedDevice, DeviceCodes as DeviceCodeStore } from "../../src/store/accounts/device-codes.ts"
import { JoinKeys } from "../../src/store/daemons/join-keys.ts"
import type { DeviceCodes } from "../api/device-codes.ts"
import type { Routes } from "../pipeline/action.ts"

const page = "/console#/device"
const done = { success: true as const }

/** Fails where the operator lets the API issue no keys. */
const issuing = Effect.map(Config, ({ keyIssuing }) =>
  keyIssuing === "disabled" ? Effect.fail(new AuthForbidden({})) : Effect.void
)

const draftOf = ({ accountId, personId, name, scopes }: ApprovedDevice, key: string, createdAt: number) => ({
  id: newId("key"),
  accountId,
  personId,
  name,
  prefix: shownPrefix(key),
  hash: hashCredential(key),
  scopes,
  createdAt,
  expiresAt: null
})

/** What a device calls. */
const ofDevice = Effect.gen(function* () {
  const store = yield* DeviceCodeStore
  const joinKeys = yield* JoinKeys
  const bus = yield* Bus
  const { publicUrl = "" } = yield* Config
  const issues = yield* issuing
  const clock = yield* Clock.Clock
  const verificationUri = publicUrl.replace(/\/$/u, "") + page

  /** Without room for another one it gets none: its own key is worth more. */
  const joinKeyOf = ({ accountId, name }: ApprovedDevice, createdAt: number) => {
    const key = joinKeyTokens.make()
    const record = { id: newId("joinKey"), accountId, name, prefix: shownPrefix(key), hash: hashCredential(key) }
    const bounds = { tags: {}, maxUses: null, removeAfterMinutes: demonstrationMinutes, createdAt, expiresAt: null }
    return joinKeys.add({ ...record, ...bounds }).pipe(
      Effect.as(key),
      Effect.catchTag("JoinKeyLimitReached", () => Effect.succeed(undefined)),
      Effect.catchTag("StoreFailed", (failure) =>
        Effect.as(Effect.logWarning("a device got no join key", { accountId }, failure), undefined)
      )
    )
  }

  const redeem = Effect.fnUntraced(function* (hash: string, now: number) {
    const key = makeKey()
    let device: ApprovedDevice | undefined
    const draft = yield* store.redeem(hash, now, (approved) => {
      device = approved
      return draftOf(approved, key, now)
    })
    // the poll of another has just taken it, or its account is disabled
    if (draft === undefined) return yield* new ExpiredToken()
    const { accountId, hash: _, personId = null, ...record } = draft
    bus.publish("holdings_changed", { accountId })
    const joinKey = device?.joinKey === true ? yield* joinKeyOf(device, now) : undefined
    const shown = joinKey === undefined ? { key } : { key, joinKey }
    const owner = personId === null ? null : { kind: "person" as const, id: personId }
    return { ...record, lastUsedAt: null, revokedAt: null, selector: null, owner, ...shown }
  })

  const routes: Pick<Routes<typeof DeviceCodes>, "begin" | "token"> = {
    begin: Effect.fnUntraced(function* ({ payload: { name, scopes }, address }) {
      yield* issues
      const createdAt = clock.currentTimeMillisUnsafe()
      // a stranger chose it, and a person decides by the sentence that it stands in
      const request = {
        name: masked(name),
        address: address(),
        scopes: [...new Set(scopes)],
        createdAt,
        expiresAt: createdAt + deviceCodeMillis
      }
      for (let tries = 0; tries < userCodeTriesMax; tries++) {
        const [deviceCode, userCode] = [makeDeviceCode(), makeUserCode()]
        const added = yield* store.add(hashCredential(deviceCode), hashCredential(userCode), request)
        if (added === "full") break
        if (added === "taken") continue
        const verificationUriComplete = `${verificationUri}/${userCode}`
        const times = { expiresIn: deviceCodeMillis / 1_000, interval: devicePollSeconds }
        return { deviceCode, userCode, verificationUri, verificationUriComplete, ...times }
      }
      return yield* new Overloaded({ retryAfter: deviceCodesRetrySeconds })
    }),

    token: Effect.fnUntraced(function* ({ payload: { deviceCode } }) {
      yield* issues
      if (!isDeviceCode(deviceCode)) return yield* new ExpiredToken()
      const now = clock.currentTimeMillisUnsafe()
      const hash = hashCredential(deviceCode)
      const polled = yield* store.poll(hash, now)
      if (polled.state === "pending") return yield* new AuthorizationPending({ retryAfter: polled.pollSeconds })
      if (polled.state === "early") return yield* new SlowDown({ retryAfter: polled.pollSeconds })
      if (polled.state === "denied") return yield* new AccessDenied()
      return polled.state === "unknown" ? yield* new ExpiredToken() : yield* redeem(hash, now)
    })
  }
  return routes
})

/** What the person of a device calls. */
const ofPerson = Effect.gen(function* () {
  const store = yield* DeviceCodeStore
  const loginLimits = yield* LoginLimits
  const issues = yield* issuing
  const clock = yield* Clock.Clock

  /** Does something under a code that a person typed; a wrong one counts as a failed sign-in of their account. */
  const under = <A>(
    { accountId }: Principal,
    typed: string,
    use: (userCodeHash: string, now: number) => Effect.Effect<A | undefined | false, StoreFailed>
  ) => {
    const code = readUserCode(typed)
    const asked =
      code === undefined ? Effect.succeed(undefined) : use(hashCredential(code), clock.currentTimeMillisUnsafe())
    const found = Effect.flatMap(asked, (answer) =>
      answer === undefined || answer === false ? Effect.fail(new AuthInvalid()) : Effect.succeed(answer)
    )
    // by account and not by address: the sessions of one account must not try codes from many addresses
    return Effect.catchTag(loginLimits.attempt("", `device ${accountId}`, found), "AuthInvalid", () =>
      Effect.fail(new NotFound({ what: "device that waits under this code" }))
    )
  }

  const routes: Pick<Routes<typeof DeviceCodes>, "show" | "approve" | "deny"> = {
    show: ({ principal, payload: { userCode } }) => under(principal, userCode, store.waiting),

    approve: Effect.fnUntraced(function* ({ principal, payload: { userCode, scopes, joinKey = false } }) {
      yield* issues
      const asked = yield* under(principal, userCode, store.waiting)
      const granted = scopes === undefined ? asked.scopes : [...new Set(scopes)]
      if (granted.some((scope) => !asked.scopes.includes(scope))) {
        return yield* invalid("scopes", "must be among those it asks for")
      }
      const lacked = granted.find((scope) => !principal.scopes.has(scope))
      if (lacked !== undefined) return yield* new AuthForbidden({ requiredScope: lacked })
      if (joinKey && !isAtLeast(principal.role, "admin")) return yield* new RoleTooLow({ requiredRole: "admin" })
      const { accountId, person: personId = null } = principal
      const approval = { accountId, personId, scopes: granted, joinKey }
      yield* under(principal, userCode, (hash, now) => store.approve(hash, approval, now))
      return done
    }),

    deny: ({ principal, payload: { userCode } }) => Effect.as(under(principal, userCode, store.deny), done)
  }
  return routes
})

/** The routes of `DeviceCodes`. */
export const deviceCodeRoutes = Effect.gen(function* () {
  const routes: Routes<typeof DeviceCodes> = { ...(yield* ofDevice), ...(yield* ofPerson) }
  return routes
})
