/** The examples of commands that outlive their call, of their output, their event and of jobs. Asserts nothing. */
import { ownedDaemon } from "../../support/connected-daemon.ts"
import type { TestHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"
import type { Receiver } from "../../support/webhook-receiver.ts"
import { recordJobs } from "./job-examples.ts"
import { recordPolicies } from "./policy-examples.ts"
import type { Recorder } from "./recorded-examples.ts"

const api = "/api/v1"

const done = { exitCode: 0, stdout: " M src/main.ts\n", stderr: "", durationMs: 12 }

const written = {
  logId: "b4c1e0",
  firstSeq: 1,
  lastSeq: 1,
  events: [{ seq: 1, type: "output", timestamp: 1_790_000_000_000, stream: "stdout", text: "> app@1.0.0 build\n" }],
  more: false
}

/** Records them, of a daemon that answers when it is told to. Gives the id of a command. */
export const recordStoredCommands = async (hub: TestHub, receiver: Receiver, recorder: Recorder): Promise<string> => {
  const { call, event, answer } = recorder
  await recordPolicies(hub, receiver, recorder)
  const mine = await ownedDaemon(hub)
  const { key, daemonId } = mine
  const session = await mine.account.session()
  const hook = { url: receiver.url("/kept"), events: [], additionalEvents: ["command:completed"] }
  await hub.request("POST", `${api}/webhooks`, { session, body: hook })
  const peer = await mine.connect({
    auth: { capabilities: ["durable_commands", "command_cancel", "session_log"] },
    report: []
  })
  const headers = { prefer: "respond-async" }
  const command = { command: "npm run build", cwd: "/srv/app", timeoutSeconds: 1_800 }
  const started = await call(hub, "daemons.terminal", 202, `POST ${api}/daemons/${daemonId}/terminal`, {
    key,
    headers,
    body: command
  })
  const sent = await peer.nextCommand()
  const shot = { type: "screenshot", timeoutSeconds: 120 }
  await call(hub, "daemons.command", 202, `POST ${api}/daemons/${daemonId}/command`, { key, headers, body: shot })
  const agent = { type: "codex-cli", dir: "/srv/app", timeoutSeconds: 600 }
  await call(hub, "shortcuts.launch", 202, `POST ${api}/shortcuts/${daemonId}/launch`, { key, headers, body: agent })
  const path = `${api}/commands/${started.commandId}`
  await call(hub, "commands.cancel", 202, `POST ${path}/cancel`, { key })
  const output = call(hub, "commands.output", 200, `GET ${path}/output`, { key })
  await peer.nextCommand().then(() => peer.nextCommand())
  ;(await peer.nextCommand()).succeed(written)
  answer("commands.outputStream", 200, (await output).events[0])
  sent.succeed(done)
  event("command:completed", await until("it is told", () => receiver.at("/kept")[0]?.body))
  await call(hub, "commands.get", 200, `GET ${path}`, { key })
  await call(hub, "commands.cancel", 200, `POST ${path}/cancel`, { key })
  await call(hub, "commands.list", 200, `GET ${api}/commands`, { key })
  await peer.leave()
  await recordJobs(hub, receiver, recorder)
  return started.commandId
}
