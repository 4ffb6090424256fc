/** The jobs of keys and grants in a real database: they end with their credential, or neither does. */
import { describe, expect, it } from "vitest"
import type { EndedGrant } from "../../../../src/store/oauth/grant-rows.ts"
import { useEndingCredentials } from "./ending-credentials.ts"

describe("the jobs of a credential", () => {
  const { store, start, stopOf, key, grant, ways } = useEndingCredentials()
  const credentials = [
    ["a key that is revoked", key],
    ...ways.map((how) => [`an app that ${how}`, (accountId: string) => grant(accountId, how)] as const)
  ] as const

  it.each(credentials)("are cancelled with %s, drafts too, and no job of another credential", async (_, make) => {
    const accountId = await store.account()
    const [credential, other] = [await make(accountId), await key(accountId)]
    const jobs = [await start(accountId, credential.id), await start(accountId, credential.id)]
    const kept = await start(accountId, other.id)
    await store.sql("update jobs set prepared = false where id = $1", [jobs[1]])
    await credential.end()
    await store.sql("update jobs set prepared = true where id = $1", [jobs[1]])
    const stops = [...jobs, await start(accountId, credential.id), kept].map((job) => stopOf(accountId, job))
    expect(await Promise.all(stops)).toEqual(["cancelled", "cancelled", "cancelled", undefined])
  })

  it("are told for each grant of an app that is removed, and cancelled by one statement", async () => {
    const accounts = [await store.account(), await store.account()] as const
    const [one, other] = [
      await grant(accounts[0], "is removed as a client"),
      await grant(accounts[1], "is disconnected")
    ]
    await store.sql(
      "update oauth_grants set client_id = (select client_id from oauth_grants where id = $1) where id = $2",
      [one.id, other.id]
    )
    const [first, second] = [await start(accounts[0], one.id), await start(accounts[1], other.id)]
    await store.sql("create table updates (one int)")
    await store.sql(`create function updated() returns trigger language plpgsql as
      $$ begin insert into updates values (1); return null; end $$`)
    await store.sql("create trigger updated after update on jobs for each statement execute function updated()")
    const ended = (await one.end()) as ReadonlyArray<EndedGrant>
    await store.sql("drop trigger updated on jobs")
    expect(await store.sql("select one from updates")).toHaveLength(1)
    expect(
      new Map(ended.map(({ grantId, accountId, cancelledJobs }) => [grantId, [accountId, cancelledJobs]]))
    ).toEqual(
      new Map([
        [one.id, [accounts[0], [first]]],
        [other.id, [accounts[1], [second]]]
      ])
    )
    expect(await stopOf(accounts[1], second)).toBe("cancelled")
  })

  it.each(credentials)("end by the second try where the store fails in the midst of the end of %s", async (_, make) => {
    const accountId = await store.account()
    const credential = await make(accountId)
    const job = await start(accountId, credential.id)
    await store.sql(`create or replace function fails() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`)
    await store.sql("create trigger fails before update on jobs for each row execute function fails()")
    await expect(credential.end()).rejects.toThrow()
    await store.sql("drop trigger fails on jobs")
    expect(await stopOf(accountId, job)).toBeUndefined()
    await credential.end()
    expect(await stopOf(accountId, job)).toBe("cancelled")
  })
})
