/** The jobs of keys and grants in a real database: they end with their program, or neither does. */
import { describe, expect, it } from "vitest"
import { useEndingPrograms } from "./ending-programs.ts"

describe("the jobs of a program", () => {
  const { store, start, stopOf, key, grant, ways } = useEndingPrograms()
  const programs = [
    ["a key that is revoked", key],
    ...ways.map((how) => [`an app that ${how}`, (accountId: string) => grant(accountId, how)] as const)
  ] as const

  it.each(programs)("are cancelled with %s, drafts too, and no job of another program", async (_, make) => {
    const accountId = await store.account()
    const [program, other] = [await make(accountId), await key(accountId)]
    const jobs = [await start(accountId, program.id), await start(accountId, program.id)]
    const kept = await start(accountId, other.id)
    await store.sql("update jobs set prepared = false where id = $1", [jobs[1]])
    await program.end()
    await store.sql("update jobs set prepared = true where id = $1", [jobs[1]])
    const stops = [...jobs, await start(accountId, program.id), kept].map((job) => stopOf(accountId, job))
    expect(await Promise.all(stops)).toEqual(["cancelled", "cancelled", "cancelled", undefined])
  })

  it.each(programs)("end by the second try where the store fails in the midst of the end of %s", async (_, make) => {
    const accountId = await store.account()
    const program = await make(accountId)
    const job = await start(accountId, program.id)
    await store.sql(`create or replace function fails() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`)
    await store.sql("create trigger fails before update on jobs for each row execute function fails()")
    await expect(program.end()).rejects.toThrow()
    await store.sql("drop trigger fails on jobs")
    expect(await stopOf(accountId, job)).toBeUndefined()
    await program.end()
    expect(await stopOf(accountId, job)).toBe("cancelled")
  })
})
