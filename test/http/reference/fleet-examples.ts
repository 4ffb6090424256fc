/** The examples of join keys, tags and versions. Owns the calls that are recorded; compares nothing. */
import type { DaemonRelease } from "../../../src/runtime/daemon-release.ts"
import type { TestHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import type { Receiver } from "../../support/webhook-receiver.ts"
import type { Recorder } from "./recorded-examples.ts"

const api = "/api/v1"

/** The daemon that the hub of the examples serves. */
export const exampleRelease: DaemonRelease = {
  version: "0.1.0",
  sha256: "5e".repeat(32),
  minNode: "20.12",
  program: new Uint8Array()
}

/** A machine that was made from the disk image of another. */
export const recordCopiedIdentity = async (hub: TestHub, receiver: Receiver, { event }: Recorder): Promise<void> => {
  const { account, session } = await hub.signedIn()
  const hook = { url: receiver.url("/copied"), events: [], additionalEvents: ["daemon:identity_copied"] }
  await hub.request("POST", `${api}/webhooks`, { session, body: hook })
  const { token } = await account.daemonToken()
  const auth = { nickname: "Build 7", platform: "linux", version: "1.0.0" }
  const first = await connectDaemon(hub, token, { auth: { ...auth, hostname: "build-7" } })
  const copy = await connectDaemon(hub, token, { auth: { ...auth, hostname: "build-8" } })
  event("daemon:identity_copied", await until("it is told", () => receiver.at("/copied")[0]?.body))
  await Promise.all([first.closed, copy.leave()])
}

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
  const versions = `${api}/daemon-versions`
  const window = { days: ["mon", "tue", "wed", "thu"], from: "22:00", to: "05:00" }
  const body = { selector: "env=prod", version: "hub", window, canary: { percent: 5, minutes: 60 }, maxFailures: 3 }
  await call(hub, "daemonVersions.set", 200, `PUT ${versions}/prod`, { session, body })
  await call(hub, "daemonVersions.list", 200, `GET ${versions}`, { session })
  await call(hub, "daemonVersions.show", 200, `GET ${versions}/prod`, { session })
  await call(hub, "daemonVersions.remove", 200, `DELETE ${versions}/prod`, { session })
  const changes = { tags: { ring: "2", gpu: null } }
  await call(hub, "tags.merge", 200, `PATCH ${api}/daemons/${daemonId}/tags`, { session, body: changes })
  const fleet = `${api}/tags?selector=env%3Dprod`
  await call(hub, "tags.set", 200, `PUT ${fleet}`, { session, body: { tags: { team: "ux" } } })
  await call(hub, "tags.change", 200, `PATCH ${fleet}`, { session, body: { tags: { ring: null } } })
  await call(hub, "joinKeys.list", 200, `GET ${path}`, { session })
  await call(hub, "joinKeys.remove", 200, `DELETE ${path}/${id}`, { session })
}
