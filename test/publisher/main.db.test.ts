/** `hub registry` as a publisher's script calls it, against a whole hub: its words, its exit codes and its JSON. */
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registry } from "../../publisher/main.ts"
import { useHub } from "../support/hub.ts"
import { command } from "../support/hub-command.ts"

describe("hub registry", () => {
  const hub = useHub()
  let key: string
  const root = mkdtempSync(join(tmpdir(), "hub-publish-"))
  beforeAll(async () => {
    key = await (await hub.account({ admin: true })).key(["registry:publish"])
  })
  afterAll(async () => {
    rmSync(root, { recursive: true, force: true })
  })

  /** Runs it in this process, and hears what it says. */
  const run = async (
    args: ReadonlyArray<string>,
    environment: Record<string, string> = { HUB_URL: hub.url, HUB_KEY: key }
  ) => {
    const said = { out: "", err: "" }
    const [out, err] = [process.stdout.write, process.stderr.write]
    const hear = (name: "out" | "err") => (text: string) => {
      said[name] += text
      return true
    }
    process.stdout.write = hear("out") as typeof out
    process.stderr.write = hear("err") as typeof err
    try {
      return { code: await registry(args, environment), ...said }
    } finally {
      process.stdout.write = out
      process.stderr.write = err
    }
  }
  const json = async (...args: ReadonlyArray<string>) => {
    const { code, out } = await run([...args, "--json"])
    expect([code, out.trim().split("\n").length]).toEqual([0, 1])
    return JSON.parse(out)
  }

  let types = 0
  const folder = (extra: Record<string, unknown> = {}) => {
    const type = `kit-${++types}`
    const path = join(root, type)
    mkdirSync(path)
    writeFileSync(join(path, "provider.json"), JSON.stringify({ type, version: "1.0.0", category: "cli", ...extra }))
    return { type, path }
  }

  it("publishes a folder, promotes it, yanks it and lists it", async () => {
    const { type, path } = folder({ displayName: "Kit" })
    const published = await json("publish", path)
    expect(published).toMatchObject({ status: "published", type, version: "1.0.0", files: 1 })
    const bytes = await fetch(`${hub.url}/api/v1/registry/providers/${type}/1.0.0/download?channel=preview`)
    const digest = createHash("sha256")
      .update(Buffer.from(await bytes.arrayBuffer()))
      .digest("hex")
    expect(published.digest).toBe(`sha256:${digest}`)
    expect(await json("publish", path)).toMatchObject({ status: "already_published" })
    expect(await json("list", type, "--channel", "preview")).toMatchObject({ packages: [{ type, category: "cli" }] })
    expect(await json("promote", type, "1.0.0")).toMatchObject({ status: "promoted", channel: "stable" })
    expect(await json("promote", type, "1.0.0")).toMatchObject({ status: "already_promoted" })
    expect((await json("list")).packages).toContainEqual(expect.objectContaining({ type, version: "1.0.0" }))
    expect(await json("yank", type, "1.0.0")).toMatchObject({ status: "yanked", channel: "stable" })
    expect(await json("list", type)).toMatchObject({ packages: [{ yanked: true }] })
    expect(await json("restore", type, "1.0.0")).toMatchObject({ status: "restored", channel: "stable" })
    expect(await json("list", type)).toMatchObject({ packages: [{ yanked: false }] })
    const record = await hub.request("GET", `/api/v1/registry/providers/${type}/1.0.0`)
    expect(record.body).toMatchObject({ displayName: "Kit", manifest: { type, version: "1.0.0" } })
  })

  it("lists what it would publish, and sends nothing, without a key", async () => {
    const { type, path } = folder()
    writeFileSync(join(path, "b"), "b")
    const { code, out } = await run(["publish", path, "--dry-run"], { HUB_URL: "http://127.0.0.1:1" })
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^packed {3}b\npacked {3}provider\.json\nstatus {3}dry_run\n/u)
    ])
    const { packages } = await json("list", "--channel", "preview")
    expect(packages).not.toContainEqual(expect.objectContaining({ type }))
    expect(await json("publish", path)).toMatchObject({ files: 2, paths: ["b", "provider.json"] })
  })

  it("publishes a single file under the type and version of the flags", async () => {
    const path = join(root, "single.bin")
    writeFileSync(path, "bytes")
    const published = await json("publish", path, "--type", "single", "--version", "0.1.0")
    expect(published.digest).toBe(`sha256:${createHash("sha256").update("bytes").digest("hex")}`)
  })

  it("lists more packages than a page holds", async () => {
    const name = `page-${++types}-`
    const publishing = Array.from({ length: 101 }, (_, at) => ({ type: `${name}${at}`, version: "1.0.0" }))
    for (const one of publishing) {
      const body = { ...one, channel: "preview", manifest: {} }
      expect((await hub.request("POST", "/api/v1/registry/providers", { key, body })).status).toBe(201)
    }
    const { packages } = await json("list", "--channel", "preview")
    const listed = packages.map((one: { type: string }) => one.type).filter((type: string) => type.startsWith(name))
    expect(new Set(listed).size).toBe(101)
  })

  it("prints the digest for a person, and nothing on stderr", async () => {
    const { code, out, err } = await run(["publish", folder().path])
    expect([code, err]).toEqual([0, ""])
    expect(out).toMatch(/^digest {3}sha256:[0-9a-f]{64}$/mu)
  })

  it("ends with 1 and the hub's reason when it is refused, and prints nothing on stdout", async () => {
    const { type, path } = folder()
    await run(["publish", path])
    writeFileSync(join(path, "more"), "other bytes")
    const nobody = { HUB_URL: hub.url }
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, string, Record<string, string>?]> = [
      [["publish", path], "VERSION_EXISTS"],
      [["promote", type, "9.9.9"], "NOT_FOUND"],
      [["publish", join(root, "nothing")], "no file or folder"],
      [["publish", folder({ version: "1" }).path], "version: must be SemVer"],
      [["publish", path], "AUTH_REQUIRED", nobody],
      [["promote", "..", "1.0.0"], "type must not be .."],
      [["list"], "must begin with https:// or http://", { HUB_URL: "ftp://127.0.0.1" }],
      [["list"], "gave no answer", { HUB_URL: "http://127.0.0.1:1" }]
    ]
    for (const [args, words, environment] of refusals) {
      const { code, out, err } = await run(args, environment)
      expect([code, out, err]).toEqual([1, "", expect.stringContaining(words)])
    }
  })

  it.each([
    [[]],
    [["publish"]],
    [["promote", "x"]],
    [["publish", "x", "y"]],
    [["unknown"]],
    [["list", "--bogus"]],
    [["yank", "x", "1.0.0", "--channel", "prevew"]],
    [["list", "--channel", "any"]],
    [["publish", "x", "--channel", "stable"]],
    [["promote", "x", "1.0.0", "--channel", "preview"]]
  ])("ends with 2 and tells how it is used for %j", async (args) => {
    const { code, out, err } = await run(args)
    expect([code, out]).toEqual([2, ""])
    expect(err).toMatch(/^usage: |^hub registry: /u)
  })

  it.each([
    [["list"], { HUB_KEY: "hub_AAA\n  BBB" }],
    [["list", "--key", "hub_AAAé"], {}]
  ])("ends with 2, one sentence and no part of a key that no header can carry: %j", async (args, environment) => {
    const { code, out, err } = await run(args, environment as Record<string, string>)
    expect([code, out, err]).toEqual([2, "", expect.stringMatching(/^hub registry: the API key of .* inside.*\n$/u)])
    expect(err).not.toMatch(/AAA|BBB/u)
  })

  it("ends with 1 when what answers is no hub", async () => {
    const server = createServer((_, response) => void response.end("<html>"))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { code, err } = await run(["list"], { HUB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    expect([code, err]).toEqual([1, expect.stringContaining("does not answer like a hub")])
    server.closeAllConnections()
    server.close()
  })

  it("is reached through the hub's own command, with its exit code", async () => {
    const { path } = folder()
    const published = await command(["registry", "publish", path, "--json"], { HUB_URL: hub.url, HUB_KEY: key })
    expect(published).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(published.stdout)).toMatchObject({ status: "published" })
    expect((await command(["registry", "yank"], {})).code).toBe(2)
  })
})
