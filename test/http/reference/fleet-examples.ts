/** The examples of join keys and tags. Owns the calls that are recorded; compares nothing. */
import type { TestHub } from "../../support/hub.ts"
import type { Recorder } from "./recorded-examples.ts"

const api = "/api/v1"

/** Records them. */
export const recordFleets = async (hub: TestHub, { call }: Recorder): Promise<void> => {
  const session = await (await hub.account()).session()
  const path = `${api}/join-keys`
  const made = { name: "build farm", tags: { env: "prod" }, maxUses: 50 }
  const { id, key } = await call(hub, "joinKeys.create", 201, `POST ${path}`, { session, body: made })
  const machine = { machineId: "0b6f6c1e-6f0c-4d4b-9a32-1b9d5f0e8a11", hostname: "build-7" }
  const { daemonId } = await call(hub, "joinKeys.join", 201, `POST ${api}/daemons/join`, { key, body: machine })
  const tags = { env: "prod", gpu: "" }
  await call(hub, "daemons.tag", 200, `PUT ${api}/daemons/${daemonId}/tags`, { session, body: { tags } })
  await call(hub, "joinKeys.list", 200, `GET ${path}`, { session })
  await call(hub, "joinKeys.remove", 200, `DELETE ${path}/${id}`, { session })
}
