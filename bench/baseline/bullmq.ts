/**
 * Baseline: what one would take off the shelf, BullMQ over an append-only Redis, with undici doing the same signed
 * POST. A process of its own: prints one JSON line `{perSecond, cpuMicrosEach}`. Arguments: Redis URL, receiver URL,
 * seconds, seconds of warm-up before them.
 */
import { createHmac } from "node:crypto"
import { Queue, Worker } from "bullmq"
import { Pool } from "undici"
import { measureSpan } from "./span.ts"

const [redisUrl, receiverUrl, secondsText, warmUpText] = process.argv.slice(2)
const millis = Number(secondsText) * 1_000
const warmUpMillis = Number(warmUpText ?? 0) * 1_000
const aheadMax = 4_000
const bulk = 500
const connection = { host: "127.0.0.1", port: Number(new URL(redisUrl!).port), maxRetriesPerRequest: null }
const receiver = new Pool(receiverUrl!, { connections: 32, pipelining: 1 })
const queue = new Queue("deliveries", { connection })

let made = 0
let done = 0
let over = false

const worker = new Worker(
  "deliveries",
  async (job) => {
    const at = Date.now()
    const body: string = job.data.body
    const digest = createHmac("sha256", "whsec_bull").update(`${at}.${body}`).digest("hex")
    const answer = await receiver.request({
      path: "/h/0",
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "x-service-event": "agent:generating_completed",
        "x-service-signature": `t=${at},v1=${digest}`
      }
    })
    await answer.body.text()
    done += 1
    return answer.statusCode
  },
  { connection, concurrency: 64 }
)

const feed = async (): Promise<void> => {
  while (!over) {
    if (made - done >= aheadMax) {
      await new Promise((resolve) => setImmediate(resolve))
      continue
    }
    await queue.addBulk(
      Array.from({ length: bulk }, () => {
        const stamp = Date.now()
        made += 1
        const payload = {
          daemonId: "dmn_bare",
          event: "agent:generating_completed",
          timestamp: stamp,
          targetSessionId: `t${Math.round((performance.timeOrigin + performance.now()) * 1_000)}`
        }
        const body = JSON.stringify({ event: payload.event, payload, timestamp: stamp })
        // the same promise as ours: 4 attempts, finished ones bounded
        return {
          name: "delivery",
          data: { body },
          opts: { attempts: 4, removeOnComplete: 500, backoff: { type: "exponential", delay: 5_000 } }
        }
      })
    )
  }
}

await worker.waitUntilReady()
void feed()
await measureSpan({
  warmUpMillis,
  millis,
  done: () => done,
  stop: () => {
    over = true
  }
})
