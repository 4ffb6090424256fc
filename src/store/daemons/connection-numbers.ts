/**
 * Assigns the numbers of connections (epochs), which only grow. Owns that statement; does not know who is connected.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ToldStatus } from "../../domain/daemon/agent-status.ts"
import { attempt } from "../sql/client.ts"

/** A connection's number. */
export interface Numbered {
  readonly epoch: number
  /** What subscribers were last told of the daemon's agents; undefined when it has never reported. */
  readonly told: ToldStatus | undefined
  /** When the newest token of the daemon was made, used or not. */
  readonly newestTokenAt: number
}

interface NumberedRow {
  readonly id: string
  readonly epoch: number
  readonly times: number
  readonly toldAt: number | null
  readonly states: string | null
  readonly newestTokenAt: number
}

/** One statement for many daemons; one that connects twice in a batch gets two numbers. */
export const numberConnections = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (daemonIds: ReadonlyArray<string>) {
    const rows = yield* attempt(
      "number connections",
      sql<NumberedRow>`
        with asked as (select id, count(*) as times from unnest(${daemonIds}::text[]) as a (id) group by id),
        locked as (
          select d.id, asked.times from daemons d join asked on asked.id = d.id order by d.id for update of d
        )
        update daemons d set epoch = d.epoch + locked.times from locked where d.id = locked.id
        returning d.id, d.epoch, locked.times, d.status_told_at as "toldAt", d.status_told as states,
          (select coalesce(max(created_at), 0) from daemon_tokens where daemon_id = d.id) as "newestTokenAt"`
    )
    const next = new Map(
      rows.map(({ id, epoch, times, toldAt, states, newestTokenAt }) => {
        const told = states === null ? undefined : { at: toldAt ?? undefined, states }
        return [id, { epoch: epoch - times, told, newestTokenAt }]
      })
    )
    return daemonIds.map((id): Numbered | undefined => {
      const last = next.get(id)
      if (last === undefined) return undefined
      last.epoch++
      return { ...last }
    })
  })
