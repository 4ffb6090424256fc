/** Parses the `cursor` of a list. The stores make the pages. */
import { Result } from "effect"
import type { FindCursor } from "../../actors/commands/daemon-finding.ts"
import type { ListCursor } from "../../actors/presence/daemon-list.ts"
import { isId } from "../../src/domain/ids.ts"
import { openCursor, type PagePosition, placeOf, sealCursor } from "../../src/domain/page-cursor.ts"
import { invalid, type ValidationFailed } from "../../src/errors.ts"

type Read<A> = Result.Result<A, ValidationFailed>

const wrong = (path: string, message: string): Result.Result<never, ValidationFailed> =>
  Result.fail(invalid(path, message))

const read = <A>(given: string | undefined, place: (cursor: string) => A | undefined): Read<A | undefined> => {
  if (given === undefined) return Result.succeed(undefined)
  const found = place(given)
  return found === undefined ? wrong("cursor", "must be a nextCursor of this list") : Result.succeed(found)
}

/** Where a page of keys begins. */
export const readKeyCursor = (given: string | undefined): Read<PagePosition | undefined> =>
  read(given, (cursor) => placeOf("key", cursor))

/** Where a page of members begins. */
export const readMemberCursor = (given: string | undefined): Read<PagePosition | undefined> =>
  read(given, (cursor) => placeOf("person", cursor))

/** After which service account a page begins. */
export const readServiceAccountCursor = (given: string | undefined): Read<string | undefined> =>
  read(given, (cursor) => {
    const id = openCursor(cursor)
    return isId("serviceAccount", id) ? id : undefined
  })

/** Where a page of stored commands begins. */
export const readCommandCursor = (given: string | undefined): Read<PagePosition | undefined> =>
  read(given, (cursor) => placeOf("command", cursor))

/** Where a page of jobs begins. */
export const readJobCursor = (given: string | undefined): Read<PagePosition | undefined> =>
  read(given, (cursor) => placeOf("job", cursor))

/** The cursor of a page of a job's targets. */
export const targetCursor = (daemonId: string): string => sealCursor(daemonId)

/** After which daemon a page of a job's targets begins; "" for the first. */
export const readTargetCursor = (given: string | undefined): Read<string> =>
  Result.map(
    read(given, (cursor) => (isId("daemon", openCursor(cursor)) ? openCursor(cursor) : undefined)),
    (after) => after ?? ""
  )

/** Where a page of the request log begins. */
export const readRequestCursor = (given: string | undefined): Read<PagePosition | undefined> =>
  read(given, (cursor) => placeOf("loggedRequest", cursor))

/** After which daemon of all accounts a page begins. */
export const readDaemonCursor = (given: string | undefined): Read<string | undefined> =>
  read(given, (cursor) => {
    const id = openCursor(cursor)
    return isId("daemon", id) ? id : undefined
  })

/** Where a page of the audit log begins. */
export const readAuditCursor = (given: string | undefined): Read<PagePosition | undefined> =>
  read(given, (cursor) => placeOf("auditEvent", cursor))

/** The cursor of a page of daemons that were found. In ASCII: a key is a name. */
export const findCursor = ({ part, id, key }: FindCursor): string =>
  sealCursor(`${part}.${id}.${encodeURIComponent(key.toWellFormed())}`)

/** Where a page of daemons that were found begins. */
export const readFindCursor = (given: string | undefined): Read<FindCursor | undefined> =>
  read(given, (cursor) => {
    const [, part, id, key] = /^(online|others)\.(\w{0,40})\.([\w.!~*'()%-]{0,4096})$/u.exec(openCursor(cursor)) ?? []
    if (part === undefined || id === undefined || key === undefined || (id !== "" && !isId("daemon", id)))
      return undefined
    try {
      return { part: part as FindCursor["part"], id, key: decodeURIComponent(key) }
    } catch {
      return undefined
    }
  })

/** The cursor of a page of daemons. */
export const listCursor = ({ at, part, id }: ListCursor): string => sealCursor(`${at}.${part}.${id}`)

/** Where a page of daemons begins. */
export const readListCursor = (given: string | undefined): Read<ListCursor | undefined> =>
  read(given, (cursor) => {
    const [, at, part, id] = /^(\d{1,15})\.(online|others)\.(\w{0,40})$/u.exec(openCursor(cursor)) ?? []
    if (at === undefined || id === undefined || (id !== "" && !isId("daemon", id))) return undefined
    return { at: Number(at), part: part as ListCursor["part"], id }
  })

/** The cursor of a page of approvals. */
export const approvalCursor = ({
  requestedAt,
  approvalId
}: {
  readonly requestedAt: number
  readonly approvalId: string
}) => sealCursor(`${requestedAt}.${approvalId}`)

/** After which approval a page begins. */
export const readApprovalCursor = (given: string | undefined): Read<PagePosition | undefined> =>
  read(given, (cursor) => {
    const [, at, id] = /^(\d{1,15})\.([\w-]{1,64})$/u.exec(openCursor(cursor)) ?? []
    return at === undefined || id === undefined ? undefined : { at: Number(at), id }
  })
