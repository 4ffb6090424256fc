/** A node's lease, and what waits until all that hear Redis have said what is theirs: nobody is believed before. */
import { describe, expect, it } from "vitest"
import { Lease } from "../../../../actors/cluster/redis/lease.ts"
import type { Was } from "../../../../actors/cluster/redis/records.ts"
import { settleAll } from "../../../../actors/cluster/redis/unknowns.ts"
import { nodeLeaseMillis, nodeQuietMillis, nodeSettleMillis } from "../../../../src/limits/nodes.ts"

describe("what Redis does not know", () => {
  const soon = nodeSettleMillis - 1
  it.each([
    { what: "waits until all who hear Redis have noticed", stands: soon, words: [undefined] },
    { what: "is the database's to say then", stands: nodeSettleMillis, words: [undefined, "online"] },
    {
      what: "waits while this node has not said what is its own",
      stands: nodeQuietMillis,
      stale: true,
      words: [undefined]
    },
    { what: "waits for a node that is apart", stands: nodeQuietMillis - 1, apart: ["b"], words: [undefined] },
    { what: "waits for it no longer than that", stands: nodeQuietMillis, apart: ["b"], words: [undefined, "online"] },
    { what: "waits for the database", stands: nodeQuietMillis, online: undefined, words: [undefined] },
    { what: "was offline if the database says so", stands: nodeQuietMillis, online: [], words: [undefined, "offline"] }
  ])("$what", async ({ words, stands, stale = false, apart = [], ...more }) => {
    const online = "online" in more ? more.online : ["m"]
    const standing = { epoch: 1, revoked: false, accountDisabled: false, online: true }
    const asked: Array<Was> = []
    const around = {
      recovery: {
        apart: async () => apart,
        standings: async () => online && new Map(online.map((daemonId) => [daemonId, { daemonId, ...standing }]))
      },
      lease: { stale, alive: [], stands: () => stands }
    }
    await settleAll(
      around,
      ["m"],
      (one) => one,
      async (_, was) => asked.push(was) > 1
    )
    expect(asked).toEqual(words)
  })
})

/** A lease whose renewals are answered by hand, and the words it was renewed with. */
const leaseOf = (waits = () => false) => {
  let now = 0
  const words: Array<string> = []
  const answers: Array<(lapsed: boolean | Error) => void> = []
  const renew = (word: string) => {
    words.push(word)
    return new Promise<never>((resolve, reject) =>
      answers.push((lapsed) =>
        lapsed instanceof Error ? reject(lapsed) : resolve({ lapsed, alive: [], dead: [] } as never)
      )
    )
  }
  const lease = new Lease({ steady: () => now }, { renew }, waits, { silent: () => {}, lapsed: () => {} })
  /** Renews it; it had none, or had. */
  const renewed = async (lapsed: boolean | Error) => {
    const done = lease.renew()
    answers.shift()!(lapsed)
    await done
  }
  return {
    lease,
    words,
    renewed,
    answers,
    pass: (millis: number) => {
      now += millis
    }
  }
}

describe("a lease", () => {
  it("is renewed once at a time, however many ask", async () => {
    const { lease, words, answers } = leaseOf()
    const both = [lease.renew(), lease.renew()]
    expect(words).toHaveLength(1)
    answers.shift()!(false)
    await Promise.all(both)
    void lease.renew()
    expect(words).toHaveLength(2)
  })

  it("says that not all is recorded from when it was found to be gone until all was said again", async () => {
    const { lease, words, renewed } = leaseOf()
    await renewed(true)
    await renewed(false)
    await renewed(true)
    await renewed(false)
    let said: ((done: boolean) => void) | undefined
    const saying = lease.sayAgain(
      () =>
        new Promise((done) => {
          said = done
        })
    )
    await renewed(false)
    said!(true)
    await saying
    await renewed(false)
    expect(words).toEqual(["wholly", "wholly", "wholly", "partly", "partly", "wholly"])
  })

  it("says so too when nobody can say whether it was renewed", async () => {
    const { words, renewed } = leaseOf()
    await renewed(true)
    await expect(renewed(new Error("away"))).rejects.toThrow("away")
    await renewed(false)
    expect(words.at(-1)).toBe("partly")
  })

  it("says who waits for a word apart", async () => {
    const { words, renewed } = leaseOf(() => true)
    await renewed(true)
    expect(words).toEqual(["said"])
  })

  it("that was gone for as long as a node takes to be dead has the database asked", async () => {
    for (const [millis, absent] of [
      [nodeLeaseMillis - 1, false],
      [nodeLeaseMillis, true]
    ] as const) {
      const { lease, renewed, pass } = leaseOf()
      await renewed(true)
      await renewed(false)
      pass(millis)
      await renewed(true)
      const asked: Array<boolean> = []
      await lease.sayAgain(async (is) => asked.push(is) > 0)
      expect(asked).toEqual([absent])
    }
  })
})
