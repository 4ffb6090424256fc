/** Join keys: machines that enrol themselves. */
import { randomUUID } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { joinKeyTokens } from "../../../src/auth/checksummed-token.ts"
import { joinKeysPerAccountMax } from "../../../src/limits.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, openDaemon } from "../../support/scripted-daemon.ts"

const path = "/api/v1/join-keys"

describe("a join key", () => {
  const hub = useHub({ virtual: true })
  let account: TestAccount
  let session: string
  beforeAll(async () => {
    account = await hub.account({ plan: "enterprise" })
    session = await account.session()
  })

  const create = async (more: object = {}, as = session) =>
    hub.request("POST", path, { session: as, body: { name: "fleet", ...more } })
  const join = (key: string, body: object = {}) =>
    hub.request("POST", "/api/v1/daemons/join", { key, body: { machineId: randomUUID(), ...body } })
  const listed = async (id: string) => {
    const { body } = await hub.request("GET", path, { session })
    return body.joinKeys.find((one: { id: string }) => one.id === id)
  }

  it("enrols machines, each with a daemon of its own and the key's tags, and is shown once", async () => {
    const made = await create({ tags: { env: "prod" } })
    expect(made).toMatchObject({
      status: 201,
      body: { name: "fleet", tags: { env: "prod" }, maxUses: null, uses: 0, removeAfterMinutes: null, expiresAt: null }
    })
    expect(made.headers.get("cache-control")).toBe("no-store")
    const { id, key } = made.body
    expect(key).toMatch(/^hubj_[0-9A-Za-z]{36}$/u)
    const [one, other] = [await join(key, { hostname: "h1", name: "n1" }), await join(key)]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(one.body.daemonId).not.toBe(other.body.daemonId)
    const daemon = await connectDaemon(hub, one.body.token, { report: [] })
    const shown = await hub.request("GET", `/api/v1/daemons/${one.body.daemonId}/status`, { session })
    expect(shown.body).toMatchObject({
      online: true,
      nickname: "n1",
      ownerTags: { env: "prod" },
      tags: { env: "prod" }
    })
    const all = await hub.request("GET", "/api/v1/daemons?include=offline&selector=env=prod", { session })
    expect(all.body.daemons).toHaveLength(2)
    expect(await listed(id)).toMatchObject({ uses: 2, prefix: key.slice(0, 12) })
    expect(JSON.stringify(await listed(id))).not.toContain(key)
    await daemon.leave()
  })

  it("is named by the audit log for each machine that joins", async () => {
    const { key, id } = (await create()).body
    const { daemonId } = (await join(key)).body
    const audit = await hub.request("GET", `/api/v1/audit?object=${daemonId}`, { session })
    expect(audit.body.events).toEqual([
      expect.objectContaining({
        action: "daemon.enrolled",
        actor: expect.objectContaining({ kind: "anonymous", id: null }),
        detail: id
      })
    ])
  })

  it("gives a machine that asks again before it connects the same daemon, and ends its earlier token", async () => {
    const { key, id } = (await create({ maxUses: 1 })).body
    const machineId = randomUUID()
    const lost = (await join(key, { machineId })).body
    const had = (await join(key, { machineId })).body
    expect(had.daemonId).toBe(lost.daemonId)
    expect(had.token).not.toBe(lost.token)
    await expect(openDaemon(hub, "", { headers: { authorization: `Bearer ${lost.token}` } })).rejects.toThrow("403")
    const daemon = await connectDaemon(hub, had.token, { report: [] })
    expect(await listed(id)).toMatchObject({ uses: 1 })
    await daemon.leave()
  })

  it("hands a daemon that has connected to nobody who names its machine", async () => {
    const { key } = (await create()).body
    const machineId = randomUUID()
    const first = (await join(key, { machineId })).body
    const daemon = await connectDaemon(hub, first.token, { report: [] })
    const second = await join(key, { machineId })
    expect(second.status).toBe(201)
    expect(second.body.daemonId).not.toBe(first.daemonId)
    expect((await join(key, { machineId })).body.daemonId).toBe(second.body.daemonId)
    expect(daemon.socket.readyState).toBe(daemon.socket.OPEN)
    await daemon.leave()
  })

  it("takes so many machines as it says, however many come at once", async () => {
    const { key, id } = (await create({ maxUses: 3 })).body
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => join(key)))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, 201, 201, 401, 401, 401, 401, 401])
    expect(await listed(id)).toMatchObject({ maxUses: 3, uses: 3 })
    const once = (await create()).body
    const machineId = randomUUID()
    const same = await Promise.all(Array.from({ length: 4 }, () => join(once.key, { machineId })))
    expect(new Set(same.map(({ body }) => body.daemonId)).size).toBe(1)
  })

  it("revoked, expired or unknown takes none, and the machines that came by it stay", async () => {
    const { key, id } = (await create()).body
    const { daemonId, token } = (await join(key)).body
    expect(await hub.request("DELETE", `${path}/${id}`, { session })).toMatchObject({ status: 200, body: { id } })
    expect((await hub.request("DELETE", `${path}/${id}`, { session })).status).toBe(404)
    expect((await join(key)).status).toBe(401)
    const daemon = await connectDaemon(hub, token, { report: [] })
    expect(daemon.accepted.data.daemonId).toBe(daemonId)
    await daemon.leave()
    expect((await join(joinKeyTokens.make())).status).toBe(401)
    const short = await create({ expiresAt: hub.now() + 1_000 })
    await hub.advance(1_000)
    expect((await join(short.body.key)).status).toBe(401)
  })

  it("keeps to the plan's daemons, and an account to its number of keys", async () => {
    const { session: as } = await hub.signedIn({ plan: "free" })
    const key = (await create({}, as)).body.key
    const other = (await create({}, as)).body.key
    const statuses: Array<number> = []
    for (let nth = 0; nth < 22; nth++) statuses.push((await join(nth < 11 ? key : other)).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 403, 403])
    const made: Array<number> = []
    for (let nth = 2; nth <= joinKeysPerAccountMax; nth++) made.push((await create({}, as)).status)
    expect(made.at(-2)).toBe(201)
    expect(await create({}, as)).toMatchObject({ status: 403, body: { limit: joinKeysPerAccountMax } })
  })
})
