/**
 * A hub with all that the story needs: accounts, keys, sessions, daemons (the real one among them), a receiver of
 * webhooks and an OpenID Connect provider. Owns their making and their end.
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { realClock } from "../../daemon/clock.ts"
import { Daemon } from "../../daemon/daemon.ts"
import { socketUrl } from "../../daemon/hub-address.ts"
import { reported } from "../support/connected-daemon.ts"
import { addClient } from "../support/connecting-app.ts"
import { DaemonLogs } from "../support/daemon-logs.ts"
import { startHub, type TestAccount, type TestHub } from "../support/hub.ts"
import { signInAt, startProvider, type TestProvider } from "../support/openid-provider.ts"
import { testProvider } from "../support/reference-daemon.ts"
import { connectDaemon } from "../support/scripted-daemon.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { type Received, type Receiver, startReceiver } from "../support/webhook-receiver.ts"
import type { World } from "./scenario/fixture.ts"

/** The hub, and what the story is told of it. */
export interface InhabitedHub {
  readonly world: World
  /** What arrived at the webhooks. */
  readonly received: () => ReadonlyArray<Received>
  readonly close: () => Promise<void>
}

const asking = {
  status: "waiting_approval",
  activeModal: { promptId: "prompt-1", message: "Run it?", buttons: ["Yes", "No"] }
}
const publicUrl = "https://hub.test"
const password = "correct horse battery"
/** Longer than an agent takes to start on a crowded computer; a call waits for it while the story goes on. */
const commandTimeoutMillis = 10_000

const everything = [
  "ide:read",
  "ide:control",
  "agent:read",
  "agent:control",
  "terminal:exec",
  "webhook:manage"
] as const

const credentials = async (owner: TestAccount, admin: TestAccount, free: TestAccount) => ({
  keys: {
    all: await owner.key(everything),
    reading: await owner.key(["ide:read"]),
    publishing: await admin.key(["registry:publish"])
  },
  sessions: {
    stale: await owner.session({ ageSeconds: 3_600 }),
    expired: await owner.session({ expired: true }),
    free: await free.session(),
    administrator: await admin.session()
  }
})

const machine = (hub: TestHub, token: string, base: string): Daemon =>
  new Daemon({
    url: socketUrl(hub.url),
    token,
    name: "Nick",
    providers: [testProvider()],
    base,
    clock: realClock,
    log: () => undefined,
    refused: () => undefined
  })

const daemons = async (hub: TestHub, owner: TestAccount, folder: string) => {
  const [real, offline, silent, twice, sentAway] = await Promise.all([1, 2, 3, 4, 5].map(() => owner.daemonToken()))
  const running = machine(hub, real!.token, folder)
  running.start()
  const mute = await connectDaemon(hub, silent!.token, { report: [] })
  mute.socket.on("message", (bytes) => {
    if (bytes.toString().includes('"hang up"')) void mute.cut()
  })
  await connectDaemon(hub, sentAway!.token, { report: [] })
  const capabilities = ["session_log"]
  const report = [reported("s1", asking), reported("s2")]
  const two = await connectDaemon(hub, twice!.token, { auth: { capabilities }, report })
  const logs = new DaemonLogs(two.send)
  logs.begin("s1", "log-1")
  for (const text of ["One.", "Two.", "Three."]) logs.happen("s1", "message", { messageId: text, role: "agent", text })
  two.socket.on("message", (bytes) => logs.take(JSON.parse(bytes.toString())))
  return {
    ids: {
      real: real!.daemonId,
      offline: offline!.daemonId,
      sentAway: sentAway!.daemonId,
      silent: silent!.daemonId,
      twice: twice!.daemonId
    },
    close: () => Promise.all([running.stop(), mute.cut(), two.leave()])
  }
}

/** Signs people in at the provider, as a browser would. */
const startBrowser = async (): Promise<Server> => {
  const server = createServer((request, response) => {
    const location = new URL(request.url ?? "", "http://browser").searchParams.get("location") ?? ""
    void signInAt(location, "ann").then(
      ({ href }) => response.end(JSON.stringify({ address: href })),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

const startedHub = ({ issuer, clientId, clientSecret }: TestProvider): Promise<TestHub> =>
  startHub({
    settings: {
      publicUrl,
      dashboardUrl: "http://dashboard.test/signed-in",
      oidcIssuer: issuer,
      oidcClientId: clientId,
      oidcClientSecret: clientSecret,
      commandTimeoutMillis
    }
  })

/** Starts all of it. */
export const inhabitedHub = async (): Promise<InhabitedHub> => {
  const folder = testFolder("contract")
  const [provider, receiver, browser] = await Promise.all([
    startProvider(`${publicUrl}/api/v1/auth/callback`),
    startReceiver() as Promise<Receiver>,
    startBrowser()
  ])
  const hub = await startedHub(provider)
  const owner = await hub.account({ plan: "ultra", password })
  const given = await credentials(owner, await hub.account({ admin: true }), await hub.account({ plan: "free" }))
  const all = await daemons(hub, owner, folder)
  await until("every daemon is listed", async () => {
    const { body } = await hub.request("GET", "/api/v1/daemons", { key: given.keys.all })
    return body.daemons.length === 4
  })
  const { port } = browser.address() as AddressInfo
  return {
    received: () => receiver.at(),
    world: {
      url: hub.url,
      owner: { email: owner.email, password },
      ...given,
      daemons: all.ids,
      folder,
      receiver: receiver.url(),
      browser: `http://127.0.0.1:${port}`,
      app: await addClient(hub)
    },
    close: async () => {
      await all.close()
      await hub.close()
      await Promise.all([receiver.close(), provider.close()])
      browser.closeAllConnections()
      browser.close()
    }
  }
}
