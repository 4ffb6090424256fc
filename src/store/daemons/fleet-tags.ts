/**
 * Changes tags of daemons, of one or of all that a selector means. Owns that a change leaves the keys that it does not
 * name, whatever is written at the same time, that it is made of all or of none, and its bounds.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Selector, selectorText } from "../../domain/daemon/selector.ts"
import type { OwnerTags, TagChange, Tags } from "../../domain/daemon/tags.ts"
import { isId } from "../../domain/ids.ts"
import { type StoreFailed, ValidationFailed } from "../../errors.ts"
import { taggedDaemonsMax, tagsPerDaemonMax } from "../../limits/tags.ts"
import { attemptRecorded } from "../accounts/recorded-change.ts"
import * as condition from "./selector-condition.ts"

/** A daemon whose tags were changed. */
export interface TaggedDaemon {
  readonly daemonId: string
  readonly ownerTags: OwnerTags
}

/** One daemon, or those that a selector means. */
export type Whom = { readonly daemonId: string } | { readonly selector: Selector }

/** The store of changes. */
export class FleetTags extends Context.Service<
  FleetTags,
  {
    /** Changes them; returns those that were changed. Fails, and changes none, where one would have too many tags. */
    readonly change: (
      accountId: string,
      whom: Whom,
      change: TagChange
    ) => Effect.Effect<ReadonlyArray<TaggedDaemon>, StoreFailed | ValidationFailed>
  }
>()("hub/FleetTags") {
  static readonly layer = Layer.effect(FleetTags)(Effect.suspend(() => make))
}

// In the order of their ids, so that two changes at a time wait for each other and neither for both.
const changeText = (meant: string): string => `with meant as (
    select d.id from daemons d where d.account_id = $1 and ${meant} order by d.id limit $4 for update
  )
  update daemons d set owner_tags_version = d.owner_tags_version + 1,
    owner_tags = (case when $5 then '{}' else d.owner_tags end || $2::jsonb) - $3::text[]
  from meant m where d.id = m.id
  returning d.id as "daemonId", d.owner_tags as tags, d.owner_tags_version as version`

const oneText = changeText("d.id = $6")
const manyText = changeText(condition.selectorText(6))

interface Row {
  readonly daemonId: string
  readonly tags: Tags
  readonly version: number
}

const refuse = (path: string, message: string) => Effect.fail(new ValidationFailed({ issues: [{ path, message }] }))

/** Fails where so many daemons, or one of them, are too many. */
const bounded = (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Row>, ValidationFailed> => {
  if (rows.length > taggedDaemonsMax) return refuse("selector", `means more than ${taggedDaemonsMax} daemons`)
  const over = rows.find(({ tags }) => Object.keys(tags).length > tagsPerDaemonMax)
  if (over === undefined) return Effect.succeed(rows)
  return refuse("tags", `daemon ${over.daemonId} would have more than ${tagsPerDaemonMax}`)
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return FleetTags.of({
    change: (accountId, whom, { set, removed, replaces = false }) => {
      if ("daemonId" in whom && !isId("daemon", whom.daemonId)) return Effect.succeed([])
      const [text, meant] =
        "daemonId" in whom ? [oneText, [whom.daemonId]] : [manyText, condition.selectorValues(whom.selector)]
      const values = [accountId, JSON.stringify(set), removed, taggedDaemonsMax + 1, replaces, ...meant]
      const change = Effect.flatMap(sql.unsafe<Row>(text, values), bounded)
      const made = (rows: ReadonlyArray<Row>) => {
        if (rows.length === 0) return undefined
        const action = "daemon.tagged" as const
        if ("daemonId" in whom) return { action, accountId, object: whom.daemonId }
        return { action, accountId, detail: `${rows.length} ${selectorText(whom.selector)}` }
      }
      return Effect.map(attemptRecorded(sql, "tag daemons", change, made), (rows) =>
        rows.map(({ daemonId, ...ownerTags }) => ({ daemonId, ownerTags }))
      )
    }
  })
})
