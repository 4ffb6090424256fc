/** Two whole hubs on one Postgres and one Redis, as callers and machines meet them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FreshDatabase, freshDatabase } from "../support/database.ts"
import { startHub, type TestHub } from "../support/hub.ts"
import { connectDaemon } from "../support/peer.ts"
import { hasRedis, startRedis, type TestRedis } from "../support/redis.ts"
import { until } from "../support/until.ts"

describe.runIf(hasRedis)("two hubs that are one", () => {
  let redis: TestRedis
  let database: FreshDatabase
  let one: TestHub
  let other: TestHub
  beforeAll(async () => {
    redis = await startRedis()
    database = await freshDatabase()
    const settings = { redisUrl: redis.url }
    one = await startHub({ database, settings })
    other = await startHub({ database, settings })
  })
  afterAll(async () => {
    await one?.close()
    await other?.close()
    await database?.close()
    await redis?.close()
  })

  it("list, show and command a machine of the other", async () => {
    const account = await one.account()
    const key = await account.key(["ide:read", "ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const daemon = await connectDaemon(one, token, { report: [] })
    daemon.answerWith(() => ({ from: "one" }))
    await until("the other lists it", async () => {
      const { body } = await other.request("GET", "/api/v1/daemons", { key })
      return (body as { daemons: ReadonlyArray<{ id: string }> }).daemons.some(({ id }) => id === daemonId)
    })
    expect(await other.request("GET", `/api/v1/daemons/${daemonId}/status`, { key })).toMatchObject({
      status: 200,
      body: { id: daemonId, online: true }
    })
    const path = `/api/v1/daemons/${daemonId}/command`
    const asked = { key, body: { type: "read_chat", payload: {} } }
    expect(await other.request("POST", path, asked)).toMatchObject({
      status: 200,
      body: { success: true, result: { from: "one" } }
    })
    const stranger = await (await other.account()).key(["ide:read", "ide:control"])
    expect(await other.request("POST", path, { ...asked, key: stranger })).toMatchObject({ status: 404 })
    await daemon.leave()
  })

  it("answer what no route takes", async () => {
    expect(await one.request("GET", "/api/v1/nothing")).toMatchObject({ status: 404 })
    expect(await one.request("PATCH", "/api/v1/daemons")).toMatchObject({ status: 405 })
  })

  it("refuse on both what was revoked on one", async () => {
    const account = await one.account()
    const { key, keyId } = await account.keyRecord(["ide:read"])
    expect(await other.request("GET", "/api/v1/daemons", { key })).toMatchObject({ status: 200 })
    const session = await account.session()
    expect(await one.request("DELETE", `/api/v1/api-keys/${keyId}`, { session })).toMatchObject({ status: 200 })
    await until("the other refuses it", async () => {
      const { status } = await other.request("GET", "/api/v1/daemons", { key })
      return status === 401
    })
  })

  it("keep one connection a machine, the newest, whichever they were made to", async () => {
    const account = await one.account()
    const { daemonId, token } = await account.daemonToken()
    const older = await connectDaemon(one, token, { report: [] })
    const newer = await connectDaemon(other, token, { report: [] })
    expect((await older.closed).code).toBe(4409)
    const session = await account.session()
    const path = `/api/v1/daemons/${daemonId}/revoke`
    expect(await one.request("POST", path, { session })).toMatchObject({ body: { success: true, wasConnected: true } })
    expect((await newer.closed).code).toBe(4403)
  })
})
