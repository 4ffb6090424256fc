/**
 * How a daemon's snapshot lies in its row: what is asked for by itself in columns, the rest as JSON that is only read
 * whole. Owns the columns and the one statement that stores many; runs nothing. Not written from a snapshot: `revoked`
 * (a late one must not undo an enrolment), the owner's tags (tags.ts), `online` and `epoch` (presence.ts owns them).
 */
import { foundStates } from "../../domain/daemon/agent-status.ts"
import type { LastEnd, Snapshot } from "../../domain/daemon/snapshot.ts"
import type { OwnerTags, Tags } from "../../domain/daemon/tags.ts"
import { selfUpdateCapability } from "../../protocol/frames.ts"

type Reported = Pick<
  Snapshot,
  "sessions" | "workspaces" | "availableProviders" | "observedAt" | "moving" | "health" | "problems"
>

/** A daemon's row as `snapshotColumns` reads it. */
export interface SnapshotRow {
  readonly daemonId: string
  readonly accountId: string
  readonly hostname: string
  readonly nickname: string
  readonly platform: string
  readonly version: string
  readonly online: boolean
  readonly revoked: boolean
  readonly epoch: number
  readonly connectedAt: number | null
  readonly lastSeenAt: number | null
  /** Absent where the statement does not read it, as of a daemon that connects. */
  readonly lastEnd?: LastEnd | null
  readonly snapshot: Reported | null
  readonly tags: Tags
  /** Null: the owner never gave it any. */
  readonly ownerTags: OwnerTags | null
}

/** What the owner of `daemons d` gave it. */
export const ownerTagsColumn = `case when d.owner_tags_version > 0
  then json_build_object('tags', d.owner_tags, 'version', d.owner_tags_version) end as "ownerTags"`

export const tagColumns = `d.daemon_tags as tags, ${ownerTagsColumn}`

/** The columns of a snapshot, for `daemons d` and its `daemon_presence p`, which a daemon has that ever connected. */
export const snapshotColumns = `d.id as "daemonId", d.account_id as "accountId", d.hostname, d.nickname, d.platform,
  d.version, p.online_since is not null as online, d.revoked, coalesce(p.epoch, 0) as epoch,
  coalesce(p.online_since, d.connected_at) as "connectedAt", d.last_seen_at as "lastSeenAt", d.picture as snapshot,
  ${tagColumns}`

/** How the last time online of one that is offline ended. */
export const lastEndColumn = `case when p.online_since is null and p.last_ended_at is not null then
    json_build_object('at', p.last_ended_at, 'reason', p.last_end_reason, 'code', p.last_close_code) end as "lastEnd"`

const isEmpty = (tags: Tags): boolean => Object.keys(tags).length === 0

/** A row as a snapshot. */
export const snapshotOf = ({
  snapshot,
  connectedAt,
  lastSeenAt,
  tags,
  ownerTags,
  lastEnd,
  ...columns
}: SnapshotRow): Snapshot => ({
  ...columns,
  connectedAt: connectedAt ?? undefined,
  lastSeenAt: lastSeenAt ?? undefined,
  ...(!isEmpty(tags) && { tags }),
  ...(ownerTags !== null && { ownerTags }),
  ...(lastEnd != null && { lastEnd }),
  observedAt: snapshot?.observedAt,
  ...(snapshot?.moving === true && { moving: true }),
  sessions: snapshot?.sessions ?? [],
  workspaces: snapshot?.workspaces ?? [],
  availableProviders: snapshot?.availableProviders ?? [],
  ...(snapshot?.health !== undefined && { health: snapshot.health }),
  ...(snapshot?.problems !== undefined && { problems: snapshot.problems })
})

/**
 * Stores many snapshots, none over that of a later connection. How the agents of a daemon were found is kept until an
 * event tells of a change. Rows are locked in order of id, so that two nodes never wait for each other in a circle.
 */
export const snapshotsText = `
  with given as (
    select * from unnest(
      $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::text[], $10::text[], $11::text[]
    ) as g (id, hostname, nickname, platform, version, epoch, connected_at, last_seen_at, picture, found, tags)
  ), locked as (
    select d.id from daemons d join given g on g.id = d.id order by d.id for update of d
  )
  update daemons d set
    hostname = g.hostname, nickname = g.nickname, platform = g.platform, version = g.version, picture_epoch = g.epoch,
    connected_at = g.connected_at, last_seen_at = g.last_seen_at, picture = g.picture::json,
    daemon_tags = g.tags::jsonb,
    status_told = coalesce(d.status_told, g.found)
  from given g join locked on locked.id = g.id
  where d.id = g.id and d.picture_epoch <= g.epoch`

const reported = (snapshot: Snapshot): string => {
  const { sessions, workspaces, availableProviders, observedAt, moving, health, problems, capabilities } = snapshot
  // for who rolls versions out: what a connection can is kept of no other capability
  const selfUpdate = capabilities?.includes(selfUpdateCapability) === true
  const part = {
    ...({ sessions, workspaces, availableProviders, observedAt, ...(moving && { moving }) } satisfies Reported),
    ...(health !== undefined && { health }),
    ...(selfUpdate && { selfUpdate })
  }
  return JSON.stringify(problems === undefined ? part : { ...part, problems })
}

/** The values of that statement: the last snapshot of each daemon given. */
export const snapshotValues = (snapshots: ReadonlyArray<Snapshot>): ReadonlyArray<ReadonlyArray<unknown>> => {
  const newest = [...new Map(snapshots.map((snapshot) => [snapshot.daemonId, snapshot])).values()]
  const column = (pick: (snapshot: Snapshot) => unknown): ReadonlyArray<unknown> => newest.map(pick)
  return [
    column(({ daemonId }) => daemonId),
    column(({ hostname }) => hostname),
    column(({ nickname }) => nickname),
    column(({ platform }) => platform),
    column(({ version }) => version),
    column(({ epoch }) => epoch),
    column(({ connectedAt }) => connectedAt ?? null),
    column(({ lastSeenAt }) => lastSeenAt ?? null),
    column(reported),
    column(({ observedAt, sessions }) => (observedAt === undefined ? null : foundStates(sessions))),
    column(({ tags = {} }) => JSON.stringify(tags))
  ]
}
