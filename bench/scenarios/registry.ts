/**
 * What do the public reads of the registry cost beside a bare server: metadata, a 304, and the download of an artifact?
 * Owns that comparison.
 */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  type BenchOptions,
  coreOfServer,
  type Outcome,
  pidOf,
  type Stretch,
  saturate,
  withFixture
} from "../fixture.ts"
import type { Ask } from "../load/wrk.ts"
import { details, rateRatio, whichCounts } from "../report/compare.ts"
import type { Figure } from "../report/figures.ts"
import { startProgram } from "../servers/child.ts"
import { removeFolder, scratchFolder } from "../servers/child-process.ts"
import type { BenchHub } from "../servers/hub.ts"

const artifactBytes = 5 * 1_048_576
const connections = 64
const readers = 16
const warmSeconds = 2
const goals = { metadata: 0.45, unchanged: 0.45, download: 0.5 }

type Server = "hub" | "bare"
interface Read extends Readonly<Record<Server, Pick<Ask, "path" | "headers">>> {
  readonly name: string
  readonly goal: number
}

/** Publishes one package and gives its path. */
const publish = async (hub: BenchHub, artifact: Buffer): Promise<string> => {
  const email = `publisher-${randomBytes(4).toString("hex")}@bench.local`
  const { accountId } = await hub.command("account", "create", "--email", email, "--plan", "enterprise", "--admin")
  const { key } = await hub.command("key", "create", "--account", accountId, "--scopes", "registry:publish")
  const type = `bench-${randomBytes(4).toString("hex")}`
  await hub.client(key).registry.publish({
    type,
    version: "1.0.0",
    channel: "preview",
    displayName: "Bench",
    category: "cli",
    artifact: artifact.toString("base64")
  })
  return `/api/v1/registry/providers/${type}/1.0.0`
}

/** Runs the scenario. */
export const registry = (options: BenchOptions): Promise<Outcome> =>
  withFixture(options, async ({ hub, generator }) => {
    const folder = scratchFolder("hub-bench-registry-")
    const artifact = randomBytes(options.tiny === true ? 65_536 : artifactBytes)
    const path = await publish(hub, artifact)
    const channel = "?channel=preview"
    const metadata = await fetch(`${hub.url}${path}${channel}`)
    const json = join(folder, "metadata.json")
    const bytes = join(folder, "artifact")
    writeFileSync(json, await metadata.text())
    writeFileSync(bytes, artifact)
    const program = startProgram("baseline/bare.ts", [json, bytes], {}, coreOfServer(options))
    try {
      const bare = `http://127.0.0.1:${(await program.line())["port"]}`
      const reads: ReadonlyArray<Read> = [
        {
          name: "registry_metadata",
          goal: goals.metadata,
          hub: { path: `${path}${channel}`, headers: {} },
          bare: { path: "/bytes", headers: {} }
        },
        {
          name: "registry_304",
          goal: goals.unchanged,
          hub: { path: `${path}${channel}`, headers: { "if-none-match": metadata.headers.get("etag") ?? "" } },
          bare: { path: "/bytes", headers: { "if-none-match": '"bench"' } }
        },
        {
          name: "registry_download",
          goal: goals.download,
          hub: { path: `${path}/download${channel}`, headers: {} },
          bare: { path: "/file", headers: {} }
        }
      ]
      const figures: Array<Figure> = []
      const notes: Array<string> = []
      for (const read of reads) {
        const ask = (server: Server, seconds: number): Promise<Stretch> => {
          const [pid, url] = server === "hub" ? [pidOf(hub), hub.url] : [program.pid, bare]
          const many = read.name === "registry_download" ? readers : connections
          return saturate(options, generator, pid, url, [{ method: "GET", ...read[server] }], many, seconds)
        }
        const rounds: Array<Record<Server, Stretch>> = []
        for (let run = 1; run <= options.runs; run++) {
          options.say(`registry: ${read.name}, run ${run} of ${options.runs}`)
          if (run === 1)
            for (const server of ["hub", "bare"] as const) await ask(server, Math.min(warmSeconds, options.seconds))
          rounds.push({ hub: await ask("hub", options.seconds), bare: await ask("bare", options.seconds) })
        }
        const names: Record<Server, string> = { hub: read.name, bare: `${read.name}_bare` }
        figures.push(rateRatio(`${read.name}_vs_bare`, rounds, "hub", "bare", read.goal), ...details(rounds, names))
        notes.push(...whichCounts(`${read.name}_vs_bare`, rounds, names))
      }
      return { figures, notes }
    } finally {
      await program.stop()
      removeFolder(folder)
    }
  })
