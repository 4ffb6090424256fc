/**
 * What passes between callers, a daemon and webhooks: commands, terminals, chats, debug bundles, jobs, kept commands,
 * signed deliveries. Owns these calls and the daemon's answers; judges no place.
 */
import { reported } from "../../support/connected-daemon.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import type { Person } from "./account-calls.ts"
import type { SecretsWorld } from "./planted-hub.ts"

/** What is said in passing. */
interface Words {
  readonly asked: string
  readonly answered: string
  readonly chat: string
  readonly modal: string
  readonly kept: string
  readonly config: string
}

const wordsOf = ({ secrets }: SecretsWorld): Words => ({
  asked: secrets.plant("what a command asks"),
  answered: secrets.plant("what a command prints"),
  chat: secrets.plant("what an agent says"),
  modal: secrets.plant("what an agent asks"),
  kept: secrets.plant("what a kept command prints"),
  config: secrets.plant("a secret in a debug bundle")
})

const answers =
  ({ answered, chat, kept, config }: Words): Parameters<Peer["answerWith"]>[0] =>
  ({ type, payload }) => {
    if (type === "read_chat") return { messages: [{ role: "assistant", text: chat }], status: "idle", title: chat }
    if (type === "send_chat") return { messageId: "m1", reply: chat }
    if (type === "chat_debug_bundle")
      return { config: { apiKey: config, log: `Authorization: Bearer ${config}` }, env: [`API_TOKEN=${config}`] }
    const text = JSON.stringify(payload).includes("kept") ? kept : answered
    return { exitCode: 0, stdout: text, stderr: text, durationMs: 1 }
  }

/** A session that waits for an approval of what it says. */
const waiting = (modal: string) =>
  reported("s1", {
    status: "waiting_approval",
    title: "s",
    activeModal: { promptId: "p1", message: modal, buttons: [modal] }
  })

const commands = async ({ call }: SecretsWorld, { key, daemonId }: Person, words: Words): Promise<void> => {
  const { asked } = words
  const [daemon, target] = [`/api/v1/daemons/${daemonId}`, `/api/v1/shortcuts/${daemonId}:session:s1`]
  const [prints, says] = [["what a command prints"], ["what an agent says"]]
  const asks = ["what an agent asks"]
  const once = (key: string) => ({ "idempotency-key": key })
  const terminal = { command: `echo ${asked}`, cwd: `/${asked}` }
  await call("POST", `${daemon}/terminal`, { key, body: terminal, shows: prints })
  await call("POST", `${daemon}/terminal`, { key, body: { command: asked, cwd: 1 } })
  await call("POST", `${daemon}/command`, {
    key,
    body: { type: "send_chat", payload: { message: asked } },
    shows: says
  })
  await call("POST", `${daemon}/command`, { key, body: { type: asked, payload: {} } })
  await call("POST", `${daemon}/command`, { key, text: `{"type":"send_chat","payload":{"message":"${asked}` })
  await call("POST", `${target}/chat`, { key, body: { message: asked }, shows: says })
  await call("POST", `${target}/chat?wait=idle&timeoutSeconds=1`, {
    key,
    body: { message: asked },
    headers: once("turn"),
    shows: [...says, ...asks]
  })
  await call("GET", `${target}/chat`, { key, shows: says })
  await call("GET", `${target}/status`, { key, shows: asks })
  await call("POST", `${target}/approve`, { key, body: { action: "reject", promptId: "p1" }, shows: prints })
  for (const type of ["send_chat", "read_chat"]) {
    const body = { type, payload: { message: asked } }
    for (const _ of ["runs", "is replayed"])
      await call("POST", `${daemon}/command`, { key, body, headers: once(type), shows: says })
  }
  await call("GET", `${target}/chat/debug`, { key })
  const frontendSnapshot = { password: words.config, text: `token: ${words.config}` }
  await call("POST", `${target}/chat/debug`, { key, body: { frontendSnapshot }, headers: once("bundle") })
}

const keptCommands = async ({ call }: SecretsWorld, person: Person, { asked }: Words): Promise<void> => {
  const { key, daemonId } = person
  const started = await call("POST", `/api/v1/daemons/${daemonId}/terminal`, {
    key,
    body: { command: `kept ${asked}` },
    headers: { prefer: "respond-async" }
  })
  const path = `/api/v1/commands/${started.body.commandId}`
  await until("it has ended", async () => {
    const { body } = await call("GET", path, { key, shows: ["what a kept command prints"] })
    return body.state === "succeeded"
  })
  await call("POST", `/api/v1/daemons/${daemonId}/command`, {
    key,
    body: { type: "send_chat", payload: { message: asked } },
    headers: { prefer: "respond-async" }
  })
  const payload = { message: asked }
  const job = await call("POST", "/api/v1/jobs", { key, body: { daemonIds: [daemonId], type: "send_chat", payload } })
  await until("the job has ended", async () => {
    const { body } = await call("GET", `/api/v1/jobs/${job.body.jobId}`, { key })
    return body.state === "completed"
  })
  const unsent = { all: true, type: "send_chat", payload, rollout: { perMinute: 1 } }
  await call("POST", "/api/v1/jobs", { key, body: unsent })
  await call("GET", "/api/v1/commands", { key, shows: ["what a kept command prints"] })
}

const webhooks = async ({ call, secrets, receiver }: SecretsWorld, { session, key }: Person): Promise<void> => {
  const shown = ["a webhook's secret", "a webhook's address"]
  const address = `/hook/${secrets.plant("a webhook's address")}`
  receiver.react(address, (_, nth) => ({ status: nth === 1 ? 500 : 200, body: "no" }))
  const body = { url: receiver.url(address), events: ["*"], additionalEvents: ["command:completed"] }
  const made = await call("POST", "/api/v1/webhooks", { session, body, shows: shown })
  secrets.learn(shown[0]!, String(made.body.secret))
  const path = `/api/v1/webhooks/${made.body.id}`
  await call("POST", `${path}/test`, { session })
  const rotated = ["a webhook's new secret", "a webhook's address"]
  const anew = await call("POST", `${path}/rotate-secret`, {
    session,
    headers: { "idempotency-key": "rotated" },
    shows: rotated
  })
  secrets.learn(rotated[0]!, String(anew.body.secret))
  const again = { session, headers: { "idempotency-key": "rotated" }, shows: ["a webhook's address"] }
  await call("POST", `${path}/rotate-secret`, again)
  await call("GET", "/api/v1/webhooks", { key, shows: ["a webhook's address"] })
  const listening = await call("GET", "/api/v1/events/listen-secret", { key, shows: ["the listen secret"] })
  secrets.learn("the listen secret", String(listening.body.secret))
  const bad = `http://user:${secrets.plant("a password in a webhook's address")}@192.0.2.1/hook`
  await call("POST", "/api/v1/webhooks", {
    session,
    body: { url: bad, events: ["*"] },
    shows: ["a password in a webhook's address"]
  })
  await until("it was tried", () => receiver.at(address).length > 0)
}

/** All of it; ends with the daemon connected. */
export const machines = async (world: SecretsWorld, person: Person): Promise<Peer> => {
  const words = wordsOf(world)
  await webhooks(world, person)
  const peer = await connectDaemon(world.nodes[0]!, person.daemonToken, { report: [waiting(words.modal)] })
  peer.answerWith(answers(words))
  const path = `/api/v1/daemons/${person.daemonId}/status`
  const shows = ["what an agent asks"]
  await until("its session is known", async () => {
    const { body } = await world.call("GET", path, { key: person.key, shows })
    return body.agents.length === 1
  })
  await commands(world, person, words)
  await keptCommands(world, person, words)
  return peer
}
