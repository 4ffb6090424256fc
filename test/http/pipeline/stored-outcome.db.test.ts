/** What is kept under an Idempotency-Key, as the database has it: sealed, and for its own call only. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { beforeAll, describe, expect, it } from "vitest"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"

describe("an outcome under an Idempotency-Key", () => {
  const hub = useHub()
  let account: TestAccount
  let key: string
  let path: string
  let peer: Peer
  beforeAll(async () => {
    account = await hub.account()
    key = await account.key(["ide:control"])
    const { daemonId, token } = await account.daemonToken()
    path = `/api/v1/daemons/${daemonId}/command`
    peer = await connectDaemon(hub, token, { report: [] })
  })

  const said = "what an agent says"
  const call = (name: string) =>
    hub.request("POST", path, {
      key,
      body: { type: "read_chat", payload: {} },
      headers: { "idempotency-key": name }
    })
  const ran = async (name: string) => {
    const first = call(name)
    ;(await peer.nextCommand()).succeed({ messages: [said] })
    return first
  }
  const sql = (text: string, values: ReadonlyArray<unknown>) =>
    hub.inside(
      Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe<{ readonly body: string }>(text, [...values]))
    )
  const bodyOf = async (name: string): Promise<string> => {
    const [row] = await sql("select body from idempotency where account_id = $1 and key = $2", [
      account.accountId,
      name
    ])
    return row!.body
  }
  const setBody = (name: string, body: string) =>
    sql("update idempotency set body = $3 where account_id = $1 and key = $2", [account.accountId, name, body])

  it("is kept sealed, and replayed as it was", async () => {
    const answer = await ran("sealed")
    expect(await bodyOf("sealed")).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+$/u)
    const again = await call("sealed")
    expect([again.status, again.text]).toEqual([200, answer.text])
    expect(again.text).toContain(said)
  })

  it("opens for its own key only: anything else says that it was not kept, and runs nothing", async () => {
    await ran("one")
    await ran("other")
    await setBody("other", await bodyOf("one"))
    const again = await call("other")
    expect([again.status, again.body]).toMatchObject([410, { reason: "OUTCOME_NOT_KEPT", status: 200 }])
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(again.text).not.toContain(said)
  })

  it("of an earlier version, which sealed none, is replayed as it was", async () => {
    const answer = await ran("plain")
    await setBody("plain", answer.text)
    const again = await call("plain")
    expect([again.status, again.text]).toEqual([200, answer.text])
  })
})
