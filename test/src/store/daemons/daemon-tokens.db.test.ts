/** The tokens of one daemon as they are stored: which of several are good. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { newId } from "../../../../src/domain/ids.ts"
import { tokensPerDaemonMax, tokenTombstonesMax } from "../../../../src/limits/store.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { useStore } from "../../../support/store-services.ts"

describe("the tokens of a daemon", () => {
  const store = useStore(Daemons.layer)
  const daemons = store.using(Daemons)

  const newHash = (): string => createHash("sha256").update(newId("key")).digest("hex")
  const enrol = async (accountId: string, daemonId?: string, now = 5) => {
    const hash = newHash()
    const enrolled = await daemons((port) => port.enrol({ accountId, daemonId, tokenHash: hash, name: "laptop", now }))
    return { daemonId: enrolled!, hash }
  }
  const owner = (hash: string) => daemons((port) => port.tokenOwner(hash))
  const standing = async (hashes: ReadonlyArray<string>) =>
    Promise.all(
      hashes.map(async (hash) => {
        const found = await owner(hash)
        return found === undefined ? "unknown" : found.revoked ? "revoked" : "good"
      })
    )
  const use = (hash: string) => daemons((port) => port.endOlderTokens(hash))

  it("are all good until the newer one is used, which ends the older and nothing else", async () => {
    const accountId = await store.account()
    const first = await enrol(accountId)
    const neighbour = await enrol(accountId)
    const second = await enrol(accountId, first.daemonId)
    const all = [first.hash, second.hash, neighbour.hash]
    expect(await standing(all)).toEqual(["good", "good", "good"])
    expect([(await owner(first.hash))!.supersedes, (await owner(second.hash))!.supersedes]).toEqual([false, true])
    await use(first.hash)
    expect(await standing(all)).toEqual(["good", "good", "good"])
    await use(second.hash)
    expect(await standing(all)).toEqual(["revoked", "good", "good"])
    expect((await owner(second.hash))!.supersedes).toBe(false)
    await use(first.hash)
    expect(await standing(all)).toEqual(["revoked", "good", "good"])
  })

  it("are in the order in which they were made, though a node's clock is behind", async () => {
    const accountId = await store.account()
    const { daemonId, hash } = await enrol(accountId, undefined, 1_000)
    const second = await enrol(accountId, daemonId, 10)
    const third = await enrol(accountId, daemonId, 10)
    await use(third.hash)
    expect(await standing([hash, second.hash, third.hash])).toEqual(["revoked", "revoked", "good"])
  })

  it("are few: of those that nobody used the oldest end, the one in use and the newest never", async () => {
    const accountId = await store.account()
    const { daemonId, hash } = await enrol(accountId)
    const hashes = [hash]
    for (let at = 0; at < tokensPerDaemonMax + 2; at++) hashes.push((await enrol(accountId, daemonId)).hash)
    const found = await standing(hashes)
    expect(found.filter((one) => one === "good")).toHaveLength(tokensPerDaemonMax)
    expect([found[0], ...found.slice(-tokensPerDaemonMax + 1)]).toEqual(Array(tokensPerDaemonMax).fill("good"))
  })

  it("are forgotten, the oldest first, when many have ended", async () => {
    const accountId = await store.account()
    const { daemonId, hash } = await enrol(accountId)
    let last = hash
    const hashes = [hash]
    for (let at = 0; at < tokenTombstonesMax + 3; at++) {
      last = (await enrol(accountId, daemonId)).hash
      hashes.push(last)
      await use(last)
    }
    await enrol(accountId, daemonId)
    const found = await standing(hashes)
    expect(found.filter((one) => one === "revoked")).toHaveLength(tokenTombstonesMax)
    expect(found.slice(0, 2)).toEqual(["unknown", "unknown"])
    expect(found.at(-1)).toBe("good")
  })
})
