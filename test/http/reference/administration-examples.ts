/** The examples of what an administrator asks of the daemons of all accounts. Asserts nothing. */
import { ownedDaemon } from "../../support/connected-daemon.ts"
import type { TestHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"
import type { Recorder } from "./recorded-examples.ts"

const path = "/api/v1/admin/daemons"

/** Records them, of a daemon that is sent away and has come back. */
export const recordAdministration = async (hub: TestHub, { call }: Recorder): Promise<void> => {
  const mine = await ownedDaemon(hub)
  const session = await (await hub.account({ admin: true })).session()
  await mine.connect({ report: [] })
  const one = `${path}/${mine.daemonId}`
  await call(hub, "adminDaemons.disconnect", 200, `POST ${one}/disconnect`, { session })
  await mine.connect({ report: [] })
  await until("its report is stored", async () => (await hub.request("GET", one, { session })).body.observedAt)
  await call(hub, "adminDaemons.show", 200, `GET ${one}`, { session })
  await call(hub, "adminDaemons.list", 200, `GET ${path}?account=${mine.account.accountId}&online=true`, { session })
}
