/** The jobs of keys and grants in a real database: they end with their credential, or neither does. */
import { describe, expect, it } from "vitest"
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
