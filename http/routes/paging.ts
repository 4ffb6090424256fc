/** Reads the `cursor` of a list, and makes those of lists in an order of their own. The stores make the pages. */
import { Effect } from "effect"
import type { FindCursor } from "../../actors/commands/daemon-finding.ts"
import type { ListCursor } from "../../actors/presence/daemon-list.ts"
import { type IdKind, isId } from "../../src/domain/ids.ts"
import { openCursor, type PagePosition, placeOf, sealCursor } from "../../src/domain/page-cursor.ts"
import { invalid, type ValidationFailed } from "../../src/errors.ts"
import type { HistoryPosition } from "../../src/store/webhooks/delivery-history.ts"

/** Where a page begins; undefined: at the first row. */
type Begin<A> = Effect.Effect<A | undefined, ValidationFailed>

const read = <A>(given: string | undefined, place: (cursor: string) => A | undefined): Begin<A> => {
  const found = given === undefined ? undefined : place(given)
  return given !== undefined && found === undefined
    ? Effect.fail(invalid("cursor", "must be a nextCursor of this list"))
    : Effect.succeed(found)
}

/** Where a page begins, of a list in order of time and then of such ids. */
export const readPlace = (kind: IdKind, given: string | undefined): Begin<PagePosition> =>
  read(given, (cursor) => placeOf(kind, cursor))

/** After which id a page begins, of a list in order of such ids. */
export const readIdCursor = (kind: IdKind, given: string | undefined): Begin<string> =>
  read(given, (cursor) => (isId(kind, openCursor(cursor)) ? openCursor(cursor) : undefined))

/** The cursor of a page of daemons that were found. In ASCII: a key is a name. */
export const findCursor = ({ part, id, key }: FindCursor): string =>
  sealCursor(`${part}.${id}.${encodeURIComponent(key.toWellFormed())}`)

/** Where a page of daemons that were found begins. */
export const readFindCursor = (given: string | undefined): Begin<FindCursor> =>
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
export const readListCursor = (given: string | undefined): Begin<ListCursor> =>
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
export const readApprovalCursor = (given: string | undefined): Begin<PagePosition> =>
  read(given, (cursor) => {
    const [, at, id] = /^(\d{1,15})\.([\w-]{1,64})$/u.exec(openCursor(cursor)) ?? []
    return at === undefined || id === undefined ? undefined : { at: Number(at), id }
  })

/** The cursor of a page of a webhook's deliveries. */
export const historyCursor = ({ at, ordinal, deliveryId }: HistoryPosition) =>
  sealCursor(`${at}.${ordinal}.${deliveryId}`)

/** After which attempt a page begins. */
export const readHistoryCursor = (given: string | undefined): Begin<HistoryPosition> =>
  read(given, (cursor) => {
    const [, at, ordinal, deliveryId] = /^(\d{1,15})\.(\d{1,9})\.(dlv_[0-9a-z]{20})$/u.exec(openCursor(cursor)) ?? []
    return deliveryId === undefined ? undefined : { at: Number(at), ordinal: Number(ordinal), deliveryId }
  })
