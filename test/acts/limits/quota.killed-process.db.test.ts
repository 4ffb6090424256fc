/** The quota through a kill of the process: what was written stays, and no call is counted that was not made. */
import { afterAll, expect, it } from "vitest"
import { type RunningHub, runHub } from "../../support/hub-command.ts"
import { until } from "../../support/until.ts"
import { environmentOf, useDatabase } from "../../support/use-started.ts"

const calls = 30
const lastCalls = 5

const database = useDatabase()
let hub: RunningHub | undefined
afterAll(() => hub?.end("SIGKILL"))

it("counted calls survive kill -9 once they are written, which is at least once a second", async () => {
  const env = environmentOf(database)
  hub = await runHub(env)
  const key = /API key {7}(hub_\w{36})/u.exec(hub.greeting)![1]!
  const headers = { authorization: `Bearer ${key}` }
  const get = (path: string) => fetch(hub!.url + path, { headers })
  for (let call = 0; call < calls; call++) expect((await get("/api/v1/daemons")).status).toBe(200)
  await until("they are written", async () => {
    const text = await (await fetch(`${hub!.url}/metrics`)).text()
    return Number(/^hub_quota_written_total (\d+)/mu.exec(text)?.[1]) >= calls
  })
  for (let call = 0; call < lastCalls; call++) await get("/api/v1/daemons")
  await hub.end("SIGKILL")
  hub = await runHub(env)
  const { used } = (await (await get("/api/v1/usage")).json()) as { used: number }
  // The question itself is one more call.
  expect(used).toBeGreaterThanOrEqual(calls + 1)
  expect(used).toBeLessThanOrEqual(calls + lastCalls + 1)
})
