/**
 * The store of the daemon's releases: of each version the program that was served last. Owns the rows, which all nodes
 * share, and their bounds; which one a daemon is to have is no matter of it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Release } from "../../domain/daemon/version-policy.ts"
import { keptReleasesMax, namedReleasesMax } from "../../limits/daemon-versions.ts"
import * as query from "../sql/query.ts"

const newestFirst = "order by served_at desc, version"
const beyond = `delete from daemon_releases r where version in
  (select version from daemon_releases ${newestFirst} offset $1)`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /**
     * Keeps what a node serves now (epoch milliseconds). Beyond the bound of those served last, the ones that no policy
     * of versions names go; beyond both bounds, the ones that were served before all others.
     */
    keep: ({ version, sha256 }: Release, program: Uint8Array, now: number) =>
      query.run(
        "keep a release of the daemon",
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into daemon_releases (version, sha256, program, served_at)
              values (${version}, ${sha256}, ${Buffer.from(program)}, ${now}::bigint)
              on conflict (version) do update set sha256 = excluded.sha256, program = excluded.program,
                served_at = greatest(daemon_releases.served_at, excluded.served_at)`
            yield* sql.unsafe(`${beyond} and not exists (select from daemon_versions p where p.version = r.version)`, [
              keptReleasesMax
            ])
            yield* sql.unsafe(beyond, [keptReleasesMax + namedReleasesMax])
          })
        )
      ),
    /** All that are kept; the one whose node started last is first. */
    list: query.many(
      "list the releases of the daemon",
      sql.unsafe<Release>(`select version, sha256 from daemon_releases ${newestFirst}`)
    ),
    /** The program of this checksum; undefined: it is not kept. */
    program: (sha256: string) =>
      Effect.map(
        query.one(
          "read a release of the daemon",
          sql<{ program: Uint8Array }>`select program from daemon_releases where sha256 = ${sha256}`
        ),
        (row) => row?.program
      )
  }
})

export class DaemonReleases extends Context.Service<DaemonReleases, Effect.Success<typeof make>>()(
  "hub/DaemonReleases"
) {
  static readonly layer = Layer.effect(DaemonReleases, make)
}
