/** Changes of tags, of one daemon and of many: key by key, for all that are meant or for none. */
import { describe, expect, it } from "vitest"
import { tagsPerDaemonMax } from "../../../src/limits/tags.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"

type Tags = Readonly<Record<string, string | null>>

describe("a change of tags", () => {
  const hub = useHub()

  const fleet = async (given: ReadonlyArray<Tags>) => {
    const { account, session } = await hub.signedIn()
    const ids: Array<string> = []
    for (const tags of given) {
      const { daemonId } = await account.daemonToken()
      ids.push(daemonId)
      await hub.request("PUT", `/api/v1/daemons/${daemonId}/tags`, { session, body: { tags } })
    }
    const tagsOf = (at: number) =>
      hub.request("GET", `/api/v1/daemons/${ids[at]}/status`, { session }).then(({ body }) => body.ownerTags)
    const many = (method: "PUT" | "PATCH", selector: string, tags: Tags, as = session) =>
      hub.request(method, `/api/v1/tags?selector=${encodeURIComponent(selector)}`, { session: as, body: { tags } })
    const one = (at: number, tags: Tags) =>
      hub.request("PATCH", `/api/v1/daemons/${ids[at]}/tags`, { session, body: { tags } })
    return { account, session, ids, tagsOf, many, one }
  }
  const auditOf = async (account: TestAccount) => {
    const session = await account.session()
    const { body } = await hub.request("GET", "/api/v1/audit?action=daemon.tagged", { session })
    return body.events.map(({ object, detail }: { object: string | null; detail: string | null }) => detail ?? object)
  }

  it("gives a key its value and removes one that is null, and leaves all others", async () => {
    const { one, ids, tagsOf, account } = await fleet([{ team: "ux", old: "" }])
    const { status, body } = await one(0, { env: "prod", old: null, absent: null })
    const tags = { env: "prod", team: "ux" }
    expect([status, body]).toEqual([200, { success: true, tags, ownerTags: tags }])
    expect(await tagsOf(0)).toEqual(tags)
    expect(await auditOf(account)).toEqual([ids[0], ids[0]])
  })

  it("loses no key where two people change others at the same time", async () => {
    const { one, tagsOf } = await fleet([{}])
    const keys = Array.from({ length: 10 }, (_, at) => `k${at}`)
    await Promise.all(keys.map((key) => one(0, { [key]: "1" })))
    expect(await tagsOf(0)).toEqual(Object.fromEntries(keys.map((key) => [key, "1"])))
  })

  it("is made of all that a selector means, and of no other account's, with one line in the audit log", async () => {
    const { many, tagsOf, account } = await fleet([{ env: "prod", team: "ux" }, { env: "prod" }, { env: "test" }])
    const other = await fleet([{ env: "prod" }])
    expect((await many("PUT", "env=prod", { ring: "2" })).body).toEqual({ success: true, changed: 2 })
    expect((await many("PATCH", "env=prod", { team: null })).body.changed).toBe(2)
    expect([await tagsOf(0), await tagsOf(1), await tagsOf(2), await other.tagsOf(0)]).toEqual([
      { env: "prod", ring: "2" },
      { env: "prod", ring: "2" },
      { env: "test" },
      { env: "prod" }
    ])
    expect((await many("PATCH", "env=nowhere", { x: "" })).body.changed).toBe(0)
    expect((await auditOf(account)).slice(0, 2)).toEqual(["2 env=prod", "2 env=prod"])
  })

  it("is made of none where one would have too many tags, or where it is none", async () => {
    const full = Object.fromEntries(Array.from({ length: tagsPerDaemonMax }, (_, at) => [`k${at}`, ""]))
    const { many, one, tagsOf } = await fleet([full, {}])
    for (const [selector, tags, path] of [
      ["!none", { one: "more" }, "tags"],
      ["", { a: "" }, "selector"],
      ["Env=x", { a: "" }, "selector"],
      ["!none", { Not: null }, "tags"],
      ["!none", { a: "x".repeat(10_000) }, "tags.a"]
    ] as const) {
      const { status, body } = await many("PATCH", selector, tags)
      expect([path, status, body.issues[0].path]).toEqual([path, 400, path])
    }
    expect(await tagsOf(1)).toEqual({})
    expect((await one(0, { k0: null, more: "1" })).status).toBe(200)
  })

  it("needs a recent login, and is of an unknown daemon 404", async () => {
    const { account, one, ids } = await fleet([{}])
    const key = await account.key(["ide:control"])
    const body = { tags: {} }
    expect((await hub.request("PATCH", "/api/v1/tags?selector=a", { key, body })).body.reason).toBe(
      "RECENT_LOGIN_REQUIRED"
    )
    const other = await (await hub.account()).session()
    expect((await hub.request("PATCH", `/api/v1/daemons/${ids[0]}/tags`, { session: other, body })).status).toBe(404)
    expect((await one(0, {})).status).toBe(200)
  })
})
