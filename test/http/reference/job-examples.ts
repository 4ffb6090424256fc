/** The examples of jobs and of their events. Asserts nothing. */
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { openEvents } from "../../support/event-stream.ts"
import type { TestHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"
import type { Receiver } from "../../support/webhook-receiver.ts"
import type { Recorder } from "./recorded-examples.ts"

const path = "/api/v1/jobs"

/** The first event of this name that a stream has. */
const eventIn = (text: string, name: string): object | undefined => {
  const frame = text.split("\n\n").find((one) => one.includes(`event: ${name}\n`))
  return frame === undefined ? undefined : JSON.parse(frame.split("data: ")[1]!)
}

/** Records them, of a daemon that answers. */
export const recordJobs = async (hub: TestHub, receiver: Receiver, { call, event }: Recorder): Promise<void> => {
  const { account, key, daemonId, connect } = await ownedDaemon(hub)
  const session = await account.session()
  const hook = { url: receiver.url("/jobs"), events: [], additionalEvents: ["job:completed"] }
  await hub.request("POST", "/api/v1/webhooks", { session, body: hook })
  const stream = await openEvents(hub, key, "?event=job:progress")
  const body = {
    name: "build 7",
    daemonIds: [daemonId],
    type: "terminal_exec",
    payload: { command: "npm run build", cwd: "/srv/app" },
    timeoutSeconds: 1_800,
    rollout: {
      perMinute: 600,
      concurrency: 50,
      abortAfterFailures: 5,
      successExitCodes: [0],
      steps: [{ count: 10, holdMinutes: 15 }]
    }
  }
  const { jobId } = await call(hub, "jobs.start", 201, `POST ${path}`, { key, body })
  const peer = await connect({ report: [] })
  const { succeed } = await peer.nextCommand()
  event("job:progress", await until("the stream has it", () => eventIn(stream.text(), "job:progress")))
  stream.close()
  await call(hub, "jobs.get", 200, `GET ${path}/${jobId}`, { key })
  succeed({ exitCode: 2, stdout: "", stderr: "no space left\n", durationMs: 12, truncated: false })
  event("job:completed", await until("it is told", () => receiver.at("/jobs")[0]?.body))
  await call(hub, "jobs.targets", 200, `GET ${path}/${jobId}/targets`, { key })
  await call(hub, "jobs.results", 200, `GET ${path}/${jobId}/results?exitCode=nonzero`, { key })
  const again = { name: "build 7, once more" }
  await call(hub, "jobs.retry", 201, `POST ${path}/${jobId}/retry`, { key, body: again })
  await call(hub, "jobs.list", 200, `GET ${path}`, { key })
  await call(hub, "jobs.cancel", 200, `POST ${path}/${jobId}/cancel`, { key })
  await peer.leave()
}
