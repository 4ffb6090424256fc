/** The examples of policies. Owns the calls that are recorded; compares nothing. */
import type { TestHub } from "../../support/hub.ts"
import type { Recorder } from "./recorded-examples.ts"

const api = "/api/v1"

/** Read anything, run the tests, ask for the rest, deny pushes. */
const everyday = {
  selector: "env=dev",
  rules: [
    { action: "read", resource: "*", effect: "allow" },
    { action: "search", resource: "*", effect: "allow" },
    { action: "execute", resource: "npm test *", effect: "allow" },
    { action: "execute", resource: "git push *", effect: "deny" }
  ],
  timeoutSeconds: 900
}

/** Records them. */
export const recordPolicies = async (hub: TestHub, { call }: Recorder): Promise<void> => {
  const session = await (await hub.account()).session()
  const path = `${api}/policies`
  await call(hub, "policies.set", 200, `PUT ${path}/everyday`, { session, body: everyday })
  await call(hub, "policies.show", 200, `GET ${path}/everyday`, { session })
  await call(hub, "policies.list", 200, `GET ${path}`, { session })
  const body = {
    action: "execute",
    resource: "npm test && git push --force",
    provider: "claude",
    cwd: "/home/ada/shop"
  }
  await call(hub, "policies.evaluate", 200, `POST ${path}/everyday/evaluate`, { session, body })
  await call(hub, "policies.remove", 200, `DELETE ${path}/everyday`, { session })
}
