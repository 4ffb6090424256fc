/** Daemons, their tokens and snapshots as they are stored. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Snapshot } from "../../../../src/domain/daemon/snapshot.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { useDatabaseClock } from "../../../support/database-clock.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"

describe("daemons in the store", () => {
  const store = useStore(Daemons.layer)
  const daemons = store.using(Daemons)
  const at = useDatabaseClock(store)

  const newHash = (): string => createHash("sha256").update(newId("key")).digest("hex")
  const enrol = (accountId: string, daemonId?: string, tokenHash = newHash()) =>
    daemons((port) => port.enrol({ accountId, daemonId, tokenHash, name: "laptop", now: 5 }))
  const enrolled = async (accountId: string): Promise<{ daemonId: string; hash: string }> => {
    const hash = newHash()
    return { daemonId: (await enrol(accountId, undefined, hash))!, hash }
  }
  const snapshot = (accountId: string, daemonId: string, extra: Partial<Snapshot> = {}): Snapshot => ({
    daemonId,
    accountId,
    hostname: "box",
    nickname: "mine",
    platform: "linux",
    version: "1.2.3",
    online: true,
    revoked: false,
    epoch: 1,
    connectedAt: 100,
    lastSeenAt: 200,
    observedAt: 150,
    sessions: [
      { id: "s1", providerType: "codex", kind: "agent", transport: "pty", status: "idle", title: "a\0b \ud800" }
    ] as Snapshot["sessions"],
    workspaces: [{ name: "repo" }],
    availableProviders: [{ type: "codex", category: "cli" }],
    ...extra
  })
  const first = { limit: 100, after: "", except: [] }
  const save = (...snapshots: ReadonlyArray<Snapshot>) => daemons((port) => port.saveSnapshots(snapshots))

  given(store.account)("enrols a new daemon and finds whom its token belongs to", async (accountId) => {
    const { daemonId, hash } = await enrolled(accountId)
    const good = { plan: "pro", revoked: false, accountDisabled: false, tokenAt: 5, supersedes: false }
    const owner = { daemonId, accountId, ...good, nickname: "laptop", ownerTags: null }
    expect(await daemons((port) => port.tokenOwner(hash))).toEqual(owner)
    expect(await daemons((port) => port.tokenOwner(newHash()))).toBeUndefined()
  })

  given(store.account)("shows a daemon that never connected as offline and empty", async (accountId) => {
    const { daemonId } = await enrolled(accountId)
    expect(await daemons((port) => port.snapshot(accountId, daemonId))).toMatchObject({
      daemonId,
      online: false,
      epoch: 0,
      connectedAt: undefined,
      sessions: []
    })
  })

  it("refuses to enrol under an id that is malformed, unknown or another account's, and adds no token then", async () => {
    const [mine, theirs] = [await store.account(), await store.account()]
    const { daemonId } = await enrolled(theirs)
    for (const id of ["dmn_junk", newId("daemon"), daemonId]) {
      const hash = newHash()
      expect(await enrol(mine, id, hash)).toBeUndefined()
      expect(await daemons((port) => port.tokenOwner(hash))).toBeUndefined()
    }
  })

  given(store.account)("gives each of many who ask at once the owner of their own token", async (accountId) => {
    const known = await Promise.all(Array.from({ length: 10 }, () => enrolled(accountId)))
    const hashes = known.flatMap(({ hash }) => [hash, newHash()])
    const owners = await daemons((port) =>
      Effect.all(
        hashes.map((hash) => port.tokenOwner(hash)),
        { concurrency: "unbounded" }
      )
    )
    expect(owners.map((owner) => owner?.daemonId)).toEqual(known.flatMap(({ daemonId }) => [daemonId, undefined]))
  })

  it("makes a tombstone of every token on revoke, and none of another daemon's", async () => {
    const accountId = await store.account()
    const { daemonId, hash } = await enrolled(accountId)
    const second = newHash()
    await enrol(accountId, daemonId, second)
    const neighbour = await enrolled(accountId)
    expect(await daemons((port) => port.revoke(accountId, daemonId))).toBe(true)
    expect(await daemons((port) => port.revoke(accountId, daemonId))).toBe(true)
    for (const dead of [hash, second])
      expect(await daemons((port) => port.tokenOwner(dead))).toMatchObject({ daemonId, revoked: true })
    expect(await daemons((port) => port.tokenOwner(neighbour.hash))).toMatchObject({ revoked: false })
    expect(await daemons((port) => port.snapshot(accountId, daemonId))).toMatchObject({ revoked: true })
  })

  it("is shown, revoked and removed by its own account only, with every token of it, and nothing brings its id back", async () => {
    const [mine, theirs] = [await store.account(), await store.account()]
    const { daemonId, hash } = await enrolled(mine)
    const second = newHash()
    await enrol(mine, daemonId, second)
    const neighbour = await enrolled(mine)
    expect(await daemons((port) => port.snapshot(theirs, daemonId))).toBeUndefined()
    expect(await daemons((port) => port.snapshots(theirs, first))).toEqual([])
    expect(await daemons((port) => port.revoke(theirs, daemonId))).toBe(false)
    expect(await daemons((port) => port.remove(theirs, daemonId))).toBe(false)
    expect(await daemons((port) => port.tokenOwner(hash))).toMatchObject({ revoked: false })
    expect(await daemons((port) => port.remove(mine, "dmn_junk"))).toBe(false)
    expect(await daemons((port) => port.tokenOwner(hash))).toMatchObject({ daemonId })
    expect(await daemons((port) => port.remove(mine, daemonId))).toBe(true)
    expect(await daemons((port) => port.remove(mine, daemonId))).toBe(false)
    for (const gone of [hash, second]) expect(await daemons((port) => port.tokenOwner(gone))).toBeUndefined()
    await save(snapshot(mine, daemonId))
    expect(await enrol(mine, daemonId)).toBeUndefined()
    expect(await daemons((port) => port.byId(daemonId))).toBeUndefined()
    expect(await daemons((port) => port.tokenOwner(neighbour.hash))).toMatchObject({ revoked: false })
  })

  it("lists daemons by id a page at a time, revoked ones to an administrator only", async () => {
    const accountId = await store.account()
    const ids: Array<string> = []
    for (let nth = 0; nth < 5; nth++) ids.push((await enrolled(accountId)).daemonId)
    const [a, b, c, d, e] = ids.sort() as [string, string, string, string, string]
    await daemons((port) => port.revoke(accountId, b))
    const listed = async (page: { limit: number; after: string; except: ReadonlyArray<string> }) =>
      (await daemons((port) => port.snapshots(accountId, page))).map(({ daemonId }) => daemonId)
    expect(await listed({ limit: 2, after: "", except: [] })).toEqual([a, c])
    expect(await listed({ limit: 2, after: c, except: [d] })).toEqual([e])
    const all = await daemons((port) => port.enrolled(accountId, 3, a))
    expect(all.map(({ daemonId, revoked }) => [daemonId, revoked])).toEqual([
      [b, true],
      [c, false],
      [d, false]
    ])
  })

  it("takes a revoked daemon back under its id with a new token, while the old one stays dead", async () => {
    const accountId = await store.account()
    const { daemonId, hash } = await enrolled(accountId)
    await daemons((port) => port.revoke(accountId, daemonId))
    const fresh = newHash()
    expect(await enrol(accountId, daemonId, fresh)).toBe(daemonId)
    expect(await daemons((port) => port.tokenOwner(fresh))).toMatchObject({ daemonId, revoked: false })
    expect(await daemons((port) => port.tokenOwner(hash))).toMatchObject({ daemonId, revoked: true })
    await save(snapshot(accountId, daemonId, { revoked: true, online: false }))
    expect(await daemons((port) => port.snapshot(accountId, daemonId))).toMatchObject({ revoked: false })
  })

  it("calls a daemon what its enrolment does, until it says otherwise; an enrolment without a name changes none", async () => {
    const accountId = await store.account()
    const named = (daemonId: string | undefined, name: string) =>
      daemons((port) => port.enrol({ accountId, daemonId, tokenHash: newHash(), name, now: 1 }))
    const daemonId = (await named(undefined, "press"))!
    const nickname = async () => (await daemons((port) => port.byId(daemonId)))?.nickname
    expect(await nickname()).toBe("press")
    await named(daemonId, "")
    expect(await nickname()).toBe("press")
    await save(snapshot(accountId, daemonId, { nickname: "own" }))
    expect(await nickname()).toBe("own")
    await named(daemonId, "lathe")
    expect(await nickname()).toBe("lathe")
  })

  it("removes an ephemeral daemon no sooner than the database's clock says, whatever the node's does", async () => {
    const accountId = await store.account()
    const ids = [await enrolled(accountId), await enrolled(accountId)].map(({ daemonId }) => daemonId).sort()
    await store.sql("update daemons set remove_after_minutes = 1 where account_id = $1", [accountId])
    await store.sql("insert into daemon_presence (daemon_id, account_id, epoch, last_ended_at) values ($1, $2, 1, 5)", [
      ids[0],
      accountId
    ])
    const removedAt = (now: number, nodeNow: number) => {
      const removal = Effect.flatMap(Daemons, (port) => port.removeEphemeral(nodeNow, 5))
      return store.run(
        Effect.map(Effect.flatten(at(now, removal)), (all) => all.map(({ daemonId }) => daemonId).sort())
      )
    }
    expect(await removedAt(60_004, 9e15)).toEqual([])
    expect(await removedAt(9e12, 60_004)).toEqual([])
    expect(await removedAt(60_005, 9e15)).toEqual(ids)
  })

  it("gives a stored snapshot back as it was, whatever characters its texts hold", async () => {
    const accountId = await store.account()
    const { daemonId } = await enrolled(accountId)
    const stored = snapshot(accountId, daemonId)
    await save(stored)
    // what presence says is not stored with it
    const offline = { online: false, epoch: 0 }
    expect(await daemons((port) => port.snapshot(accountId, daemonId))).toEqual({ ...stored, ...offline })
    expect(await daemons((port) => port.byId(daemonId))).toEqual({ ...stored, ...offline })
    const absent = snapshot(accountId, daemonId, {
      connectedAt: undefined,
      lastSeenAt: undefined,
      observedAt: undefined
    })
    await save(absent)
    expect(await daemons((port) => port.snapshot(accountId, daemonId))).toEqual({ ...absent, ...offline })
  })

  it("stores the last of several snapshots of one daemon, and one of each of many", async () => {
    const accountId = await store.account()
    const ids = (await Promise.all(Array.from({ length: 20 }, () => enrolled(accountId)))).map(
      ({ daemonId }) => daemonId
    )
    const early = ids.map((id) => snapshot(accountId, id, { hostname: "early" }))
    const late = ids.map((id) => snapshot(accountId, id, { hostname: `late-${id}` }))
    await save(...early, ...late)
    const all = await daemons((port) => port.snapshots(accountId, first))
    expect(all.map(({ hostname }) => hostname)).toEqual([...ids].sort().map((id) => `late-${id}`))
    await save()
  })
})
