/** Records the examples of devices that ask for a key, and of connected apps. Asserts nothing. */
import { addClient, codeForm, queryOf, sendForm } from "../../support/connecting-app.ts"
import type { TestHub } from "../../support/hub.ts"
import type { Recorder } from "./recorded-examples.ts"

/** Lets an app in, and disconnects it. */
export const recordApps = async (hub: TestHub, { call }: Recorder): Promise<void> => {
  const session = await (await hub.account()).session()
  const path = `/api/v1/connected-apps`
  const query = queryOf(await addClient(hub))
  await call(hub, "connectedApps.show", 200, `POST ${path}/requests/show`, { session, body: { query } })
  await call(hub, "connectedApps.deny", 200, `POST ${path}/requests/deny`, { session, body: { query } })
  const body = { query, scopes: ["ide:read"], offline: true }
  const approve = `POST ${path}/requests/approve`
  const { location } = await call(hub, "connectedApps.approve", 200, approve, { session, body })
  const clientId = new URLSearchParams(query).get("client_id")!
  await sendForm(hub, "/oauth/token", codeForm(clientId, new URL(location).searchParams.get("code")!))
  const { connectedApps } = await call(hub, "connectedApps.list", 200, `GET ${path}`, { session })
  await call(hub, "connectedApps.disconnect", 200, `DELETE ${path}/${connectedApps[0].id}`, { session })
}

/** A device that gets a key, and one that is refused. */
export const recordDevices = async (hub: TestHub, { call }: Recorder): Promise<void> => {
  const session = await (await hub.account()).session()
  const path = `/api/v1/auth/device`
  const device = { name: "a laptop", scopes: ["ide:read", "agent:read"] }
  const denied = (await hub.request("POST", path, { body: device })).body
  await call(hub, "deviceCodes.deny", 200, `POST ${path}/deny`, { session, body: { userCode: denied.userCode } })
  const { deviceCode, userCode } = await call(hub, "deviceCodes.begin", 200, `POST ${path}`, { body: device })
  await call(hub, "deviceCodes.show", 200, `POST ${path}/show`, { session, body: { userCode } })
  const approval = { userCode, scopes: ["ide:read"] }
  await call(hub, "deviceCodes.approve", 200, `POST ${path}/approve`, { session, body: approval })
  await call(hub, "deviceCodes.token", 201, `POST ${path}/token`, { body: { deviceCode } })
}
