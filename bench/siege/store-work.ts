/**
 * Acts that cost their sender next to nothing and each give the store work, as often as one account may: daemons that
 * come and go, tell of failed updates and ask questions of which browsers are told, and changes of tags at once.
 */
import { createECDH, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { type DaemonTally, keepDaemons, named, repeatedly } from "./attacker-daemons.ts"
import { DaemonSocket } from "./daemon-socket.ts"
import { callJson } from "./json-calls.ts"

const daemons = 20
const holds = (tiny: boolean) => ({ plan: "free", keys: 0, daemons: tiny ? 2 : daemons }) as const

/** Each daemon says so, each so often. */
const saying = async (target: Target, millis: number, text: (turn: number) => string) => {
  const tally: DaemonTally = { online: 0, closed: 0 }
  let frames = 0
  await keepDaemons(target, tally, {}, (socket) => {
    target.reach()
    repeatedly(target, millis, () => socket.ready && socket.send([text(frames++)]))
  })
  return { frames, ...tally }
}

const failure = JSON.stringify({ type: "update_result", data: { sha256: "ab".repeat(32), success: false, error: "x" } })

export const failedUpdates: Attack = {
  finding: "A1",
  asks: `${daemons} daemons of each of 3 accounts say that an update failed, as often as they may`,
  holds,
  accounts: (tiny) => (tiny ? 1 : 3),
  strike: async (target) => {
    const each = target.holders.map((holder) => saying({ ...target, holder }, 105, () => failure))
    return (await Promise.all(each))[0]!
  }
}

export const comingDaemons: Attack = {
  finding: "A2",
  asks: `${daemons} daemons leave as soon as they are in, and come back at once`,
  holds,
  strike: async (target) => {
    let came = 0
    const come = (token: string, at: number): void => {
      if (target.over()) return
      const ready = (socket: DaemonSocket): void => {
        came++
        target.reach()
        socket.leave()
      }
      const gone = () => void setTimeout(() => come(token, at), 20)
      new DaemonSocket(target.url, token, attackerAddress(at), { ready, gone })
    }
    for (const [at, { token }] of target.holder!.daemons.entries()) come(token, at)
    await target.ended
    return { came }
  }
}

let calls = 0
const callAside = ({ url, holder }: Target, method: string, path: string, body: unknown) =>
  callJson(url, attackerAddress(1_000 + calls++), { method, path, body, bearer: holder!.session })

const questions = (turn: number): string => {
  const activeModal = (at: number) => ({ promptId: `q${turn}-${at}`, message: "m", buttons: [] })
  const more = { providerType: "x", kind: "agent", transport: "acp", status: "waiting_approval" }
  const sessions = Array.from({ length: 20 }, (_, at) => ({ id: `s${at}`, ...more, activeModal: activeModal(at) }))
  return JSON.stringify({ type: "status_report", data: { timestamp: Date.now(), sessions } })
}

export const pushedQuestions: Attack = {
  finding: "A3",
  asks: `${daemons} daemons ask 20 new questions each twice a second, of which ten browsers are told`,
  holds,
  strike: async (target) => {
    let pushes = 0
    const service = createServer((request, response) => {
      pushes++
      request.resume().on("end", () => response.writeHead(201).end())
    })
    await new Promise<void>((stands) => service.listen(0, "127.0.0.1", stands))
    const { port } = service.address() as AddressInfo
    for (let at = 0; at < 10; at++) {
      const keys = {
        p256dh: createECDH("prime256v1").generateKeys("base64url"),
        auth: randomBytes(16).toString("base64url")
      }
      await callAside(target, "POST", "/api/v1/push-subscriptions", {
        endpoint: `http://127.0.0.1:${port}/${at}`,
        keys
      })
    }
    const said = await saying(target, 500, questions)
    service.closeAllConnections()
    service.close()
    return { pushes, ...said }
  }
}

const atOnce = 100

export const changesAtOnce: Attack = {
  finding: "A4",
  asks: `${atOnce} changes of one account at once, again and again, from ever new addresses`,
  holds,
  strike: async (target) => {
    const statuses: Record<string, number> = {}
    const change = async (at: number): Promise<void> => {
      const { daemonId } = target.holder!.daemons[at % target.holder!.daemons.length]!
      while (!target.over()) {
        const made = callAside(target, "PATCH", `/api/v1/daemons/${daemonId}/tags`, { tags: { at: String(calls) } })
        const status = await made.then(({ status }) => String(status)).catch(() => "lost")
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status === "200") target.reach()
      }
    }
    await Promise.all(Array.from({ length: target.tiny ? 4 : atOnce }, (_, at) => change(at)))
    return named(statuses)
  }
}
