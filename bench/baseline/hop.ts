/**
 * Baseline: a bare request and its reply between two processes over a broker, as a command between two nodes travels,
 * with nothing else around it. Owns both sides: `echo` answers; `ask` measures one at a time, at an easy pace, and with
 * many under way. Arguments: side, url, seconds a part. Prints `{ready}` (echo), or twice `{p50, p99}` and then
 * `{asked}` (ask) as JSON lines.
 */
import { connect } from "@nats-io/transport-node"
import { build, type Histogram } from "hdr-histogram-js"
import { Redis } from "ioredis"

/** What a broker does for either side. */
interface Line {
  readonly ask: (payload: string) => Promise<string>
  readonly echo: () => Promise<void>
}

const [side, url = "", seconds = "1"] = process.argv.slice(2)
const pacedPerSecond = 100
const underWay = 64
const channel = "hop"
/** The bytes of one command as a node says it to another. */
const payload = JSON.stringify({
  type: "read_chat",
  payload: {},
  daemonId: "dmn_00000000000000000000",
  deadline: 60_000
})

const overRedis = async (): Promise<Line> => {
  const writer = new Redis(url, { enableAutoPipelining: true })
  const ear = new Redis(url)
  const own = `hop-${process.pid}`
  const waiting = new Map<string, (text: string) => void>()
  let last = 0
  ear.on("message", (from: string, text: string) => {
    if (from === channel) {
      const [to, id, ...rest] = text.split(" ")
      return void writer.publish(to!, `${id} ${rest.join(" ")}`)
    }
    const cut = text.indexOf(" ")
    const id = text.slice(0, cut)
    waiting.get(id)?.(text.slice(cut + 1))
    waiting.delete(id)
  })
  if (side === "ask") await ear.subscribe(own)
  return {
    ask: (text) =>
      new Promise((done, fail) => {
        const id = String(++last)
        waiting.set(id, done)
        writer.publish(channel, `${own} ${id} ${text}`).catch(fail)
      }),
    echo: async () => void (await ear.subscribe(channel))
  }
}

const overNats = async (): Promise<Line> => {
  const line = await connect({ servers: url })
  return {
    ask: async (text) => (await line.request(channel, text, { timeout: 10_000 })).string(),
    echo: async () => {
      line.subscribe(channel, { callback: (_, message) => void message.respond(message.data) })
      await line.flush()
    }
  }
}

/** Latencies in microseconds. */
interface Latency {
  readonly p50: number
  readonly p99: number
}

const empty = (): Histogram => build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 })

const latencyOf = (of: Histogram): Latency => ({
  p50: of.getValueAtPercentile(50),
  p99: of.getValueAtPercentile(99)
})

const single = async (line: Line, millis: number): Promise<Latency> => {
  const histogram = empty()
  const ends = performance.now() + millis
  for (let began = performance.now(); began < ends; began = performance.now()) {
    await line.ask(payload)
    histogram.recordValue(Math.max(1, Math.round((performance.now() - began) * 1_000)))
  }
  return latencyOf(histogram)
}

const paced = async (line: Line, millis: number): Promise<Latency> => {
  const histogram = empty()
  const started = performance.now()
  const asks: Array<Promise<void>> = []
  for (let count = 0; count < (millis * pacedPerSecond) / 1_000; count++) {
    const due = started + (count * 1_000) / pacedPerSecond
    while (performance.now() < due) {
      const left = due - performance.now()
      await new Promise<void>((go) => (left > 2 ? setTimeout(go, left - 2) : setImmediate(go)))
    }
    const note = (): void => void histogram.recordValue(Math.max(1, Math.round((performance.now() - due) * 1_000)))
    asks.push(line.ask(payload).then(note))
  }
  await Promise.all(asks)
  return latencyOf(histogram)
}

const saturated = async (line: Line, millis: number): Promise<number> => {
  const ends = performance.now() + millis
  let asked = 0
  const caller = async (): Promise<void> => {
    while (performance.now() < ends) {
      await line.ask(payload)
      asked++
    }
  }
  await Promise.all(Array.from({ length: underWay }, caller))
  return asked
}

const print = (said: object): void => void process.stdout.write(`${JSON.stringify(said)}\n`)
const line = await (url.startsWith("redis") ? overRedis() : overNats())
if (side === "echo") {
  await line.echo()
  print({ ready: true })
} else {
  const millis = Number(seconds) * 1_000
  await saturated(line, Math.min(1_000, millis))
  print(await single(line, millis))
  print(await paced(line, millis))
  print({ asked: await saturated(line, millis) })
  process.exit(0)
}
process.on("SIGTERM", () => process.exit(0))
