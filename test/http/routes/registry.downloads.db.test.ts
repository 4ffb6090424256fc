/** Downloads and cheap reads of the registry over HTTP: HEAD, hang-ups, bounds, and what touches no database. */
import { readdirSync, readlinkSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { afterEach, beforeAll, describe, expect, it } from "vitest"
import { Edge } from "../../../http/edge.ts"
import { downloadsPerAddressMax, uploadsMax } from "../../../src/limits.ts"
import { Packages } from "../../../src/store/registry/packages.ts"
import { useHub } from "../../support/hub.ts"
import { openWire, type Wire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"

const path = "/api/v1/registry/providers"
const preview = "?channel=preview"

describe("the registry's reads", () => {
  const hub = useHub()
  let key: string
  let types = 0
  const wires: Array<Wire> = []
  const readers: Array<Socket> = []
  beforeAll(async () => {
    key = await (await hub.account({ admin: true })).key(["registry:publish"])
  })
  afterEach(() => {
    for (const one of [...wires.splice(0), ...readers.splice(0)]) one.destroy()
  })

  const published = async (bytes: Uint8Array): Promise<string> => {
    const type = `got-${++types}`
    const artifact = Buffer.from(bytes).toString("base64")
    const body = { type, version: "1.0.0", channel: "preview", artifact }
    expect((await hub.request("POST", path, { key, body })).status).toBe(201)
    return type
  }
  const downloads = async (type: string): Promise<number | undefined> => {
    const found = await hub.inside(Effect.flatMap(Packages, (packages) => packages.get(type, "1.0.0")))
    return found?.downloads.preview
  }
  const wire = async (text: string | Buffer): Promise<Wire> => {
    const opened = await openWire(hub.url)
    wires.push(opened)
    opened.write(text)
    return opened
  }

  it("answer HEAD like GET without the bytes: with the whole length whatever range is named, and 304 to who has them", async () => {
    const type = await published(Buffer.from("0123456789"))
    const url = `${path}/${type}/1.0.0/download${preview}`
    const whole = await hub.request("GET", url)
    const head = await hub.request("HEAD", url, { headers: { range: "bytes=0-3" } })
    expect([head.status, head.headers.get("content-length"), head.text]).toEqual([200, "10", ""])
    const part = await hub.request("GET", url, { headers: { range: "bytes=0-3" } })
    expect(part.status).toBe(206)
    for (const { headers } of [whole, part, head]) {
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("content-disposition")).toBe(`attachment; filename="${type}-1.0.0"`)
    }
    for (const name of ["etag", "repr-digest", "cache-control", "accept-ranges", "content-type"])
      expect(head.headers.get(name)).toBe(whole.headers.get(name))
    const etag = whole.headers.get("etag")!
    for (const one of [url, `${path}/${type}${preview}`, `${path}/${type}/1.0.0${preview}`, `${path}${preview}`]) {
      const given = one === url ? etag : (await hub.request("HEAD", one)).headers.get("etag")!
      const known = await hub.request("HEAD", one, { headers: { "if-none-match": given } })
      expect([one, known.status, known.headers.get("content-length")]).toEqual([one, 304, null])
      const length = (await hub.request("GET", one)).headers.get("content-length")
      expect((await hub.request("HEAD", one)).headers.get("content-length")).toBe(length)
    }
  })

  it("count a download when its first byte is sent: not HEAD, not 304, not who resumes", async () => {
    const type = await published(Buffer.from("counted"))
    const url = `${path}/${type}/1.0.0/download${preview}`
    const etag = (await hub.request("HEAD", url)).headers.get("etag")!
    await hub.request("GET", url, { headers: { "if-none-match": etag } })
    await hub.request("GET", url, { headers: { range: "bytes=3-" } })
    expect((await hub.request("GET", url, { headers: { range: "bytes=0-2" } })).text).toBe("cou")
    expect((await hub.request("GET", url)).text).toBe("counted")
    await until("the counts are written", async () => (await downloads(type)) === 2)
    expect(await downloads(type)).toBe(2)
  })

  it("touch no database once they are in memory, neither for 200 nor for 304", async () => {
    const type = await published(Buffer.from("remembered"))
    const urls = [
      `${path}/${type}${preview}`,
      `${path}/${type}/1.0.0${preview}`,
      `${path}/${type}/1.0.0/download${preview}`
    ]
    const first = []
    for (const url of urls) first.push(await hub.request("GET", url))
    const rename = (from: string, to: string) => hub.sql((sql) => sql.unsafe(`alter table ${from} rename to ${to}`))
    await rename("packages", "packages_away")
    try {
      for (const [at, url] of urls.entries()) {
        expect(await hub.request("GET", url)).toMatchObject({ status: 200, text: first[at]!.text })
        const headers = { "if-none-match": first[at]!.headers.get("etag")! }
        expect(await hub.request("GET", url, { headers })).toMatchObject({ status: 304, text: "" })
      }
      // what is not in memory shows that the table is really away
      expect(await hub.request("GET", `${path}/${type}/2.0.0`)).toMatchObject({
        status: 500,
        body: { reason: "INTERNAL" }
      })
    } finally {
      await rename("packages_away", "packages")
    }
  })

  it("are at most 32 downloads at once for an address; one more is 503 with Retry-After, and a reader who leaves gives up its place and its file", async () => {
    const type = await published(Buffer.alloc(8_000_000, 1))
    const ask = `GET ${path}/${type}/1.0.0/download${preview} HTTP/1.1\r\nhost: hub\r\n\r\n`
    const { hostname, port } = new URL(hub.url)
    /** Asks, and reads no more than the first piece: whoever is served keeps its place. */
    const begun = async (): Promise<string> => {
      const socket = connect(Number(port), hostname)
      readers.push(socket)
      socket.on("error", () => {})
      socket.write(ask)
      await new Promise((resolve) => socket.once("readable", resolve))
      return String(socket.read() ?? "")
    }
    const files = () =>
      readdirSync("/proc/self/fd").filter((file) => {
        try {
          return /artifacts\/[0-9a-f]{64}$/u.test(readlinkSync(`/proc/self/fd/${file}`))
        } catch {
          return false
        }
      }).length
    const refused = await until("every place is taken", async () => {
      const answers = await Promise.all(Array.from({ length: 16 }, begun))
      return answers.find((answer) => !answer.startsWith("HTTP/1.1 200"))
    })
    expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/iu)
    if (process.platform === "linux") expect(files()).toBeLessThanOrEqual(downloadsPerAddressMax)
    expect(readers.length).toBeGreaterThan(downloadsPerAddressMax)
    for (const socket of readers) socket.destroy()
    await until("there is a place again", async () => {
      const answer = await fetch(`${hub.url}${path}/${type}/1.0.0/download${preview}`)
      return (await answer.arrayBuffer()).byteLength === 8_000_000
    })
    if (process.platform === "linux") await until("every file is let go", () => files() === 0)
  })

  it("leave room for four uploads at once: a fifth is 503 with Retry-After until one of them ends", async () => {
    const type = await published(Buffer.from("small"))
    const body = JSON.stringify({
      type,
      version: "1.0.0",
      channel: "preview",
      artifact: Buffer.from("small").toString("base64")
    })
    const post = () => hub.request("POST", path, { key, text: body })
    const half = `POST ${path} HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 10)}`
    const { server } = await hub.inside(Edge)
    await until("nothing is under way", () => server.exchanges.live === 0)
    expect((await post()).status).toBe(200)
    const uploads = await Promise.all(Array.from({ length: uploadsMax }, () => wire(half)))
    await until("four uploads are under way", () => server.exchanges.live === uploadsMax)
    const refused = await post()
    expect(refused).toMatchObject({ status: 503, body: { reason: "OVERLOADED" } })
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    uploads[0]!.write(body.slice(10))
    expect((await uploads[0]!.answer())?.status).toBe(200)
    expect((await post()).status).toBe(200)
    uploads[1]!.destroy()
    uploads[2]!.destroy()
    await until("a place is free again", async () => (await post()).status === 200)
  })
})
