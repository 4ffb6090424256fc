/**
 * `hub registry`: what a publisher uses. Owns its words, flags and exit codes (0 done, 1 refused, 2 not understood);
 * packing is pack.ts's and the calls are calls.ts's.
 */

import { createHash } from "node:crypto"
import { parseArgs } from "node:util"
import { plain, plainJson, plainLines } from "../src/runtime/escape.ts"
import { CallRefused, list, promote, publish, type Registry, yank } from "./calls.ts"
import { PackRefused, pack } from "./pack.ts"

const help = `usage: hub registry publish <folder|file>   pack and publish to preview; prints the digest
       hub registry promote <type> <version>  make a preview version stable
       hub registry yank <type> <version>     yank it (--channel preview: there)
       hub registry list [type]               newest of every type, or every version of one

  --url      the hub (default: $HUB_URL, else http://127.0.0.1:8080)
  --key      an API key with registry:publish (default: $HUB_KEY, which no shell history keeps)
  --channel  stable (default) or preview, for yank and list; whatever is published goes to preview
  --type, --version, --category   for a package whose provider.json does not say
  --json     print exactly one JSON object`

const options = {
  url: { type: "string" },
  key: { type: "string" },
  channel: { type: "string" },
  type: { type: "string" },
  version: { type: "string" },
  category: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" }
} as const

type Flags = {
  readonly channel?: string | undefined
  readonly type?: string | undefined
  readonly version?: string | undefined
  readonly category?: string | undefined
}
type Outcome = Readonly<Record<string, unknown>>

const described = ["type", "version", "category", "name", "displayName", "description"] as const

const publishPath = async (registry: Registry, path: string, flags: Flags): Promise<Outcome> => {
  const { description, artifact, files } = await pack(path)
  const known = Object.fromEntries(
    described.flatMap((name) => (description[name] === undefined ? [] : [[name, description[name]]]))
  )
  const { type, version, category } = flags
  const given = Object.fromEntries(
    Object.entries({ type, version, category }).filter(([, value]) => value !== undefined)
  )
  const digest = `sha256:${createHash("sha256").update(artifact).digest("hex")}`
  const answer = await publish(registry, {
    ...known,
    ...given,
    ...(Object.keys(description).length === 0 ? {} : { manifest: description }),
    artifact: Buffer.from(artifact).toString("base64")
  })
  if (answer["digest"] !== digest) throw new CallRefused(`the hub kept ${answer["digest"]}, packed was ${digest}`)
  return {
    status: answer["status"],
    type: answer["type"],
    version: answer["version"],
    digest,
    size: artifact.length,
    files
  }
}

const short = (answer: Outcome, status: unknown): Outcome => {
  const { type, version, channel, digest } = answer
  return { status, type, version, channel, digest }
}

const rows = (found: ReadonlyArray<Outcome>): Outcome => ({
  packages: found.map(({ type, version, category, yanked, downloads, digest }) => ({
    type,
    version,
    category,
    yanked,
    downloads,
    digest
  }))
})

/** Only the channels there are: the hub takes any other word for stable, and a typing error must not yank there. */
const fits = (verb: string | undefined, channel: string | undefined): boolean => {
  if (channel === undefined) return true
  return verb === "publish" ? channel === "preview" : verb !== "promote" && ["stable", "preview"].includes(channel)
}

const perform = async (
  registry: Registry,
  words: ReadonlyArray<string>,
  flags: Flags
): Promise<Outcome | undefined> => {
  const [verb, first, second, ...more] = words
  if (more.length > 0 || !fits(verb, flags.channel)) return undefined
  if (verb === "publish" && first !== undefined && second === undefined) return publishPath(registry, first, flags)
  if (verb === "list" && second === undefined) return rows(await list(registry, first, flags.channel))
  if (first === undefined || second === undefined) return undefined
  if (verb === "promote") {
    const answer = await promote(registry, first, second)
    return short(answer, answer["status"])
  }
  return verb === "yank" ? short(await yank(registry, first, second, flags.channel), "yanked") : undefined
}

const lines = (outcome: Outcome): ReadonlyArray<string> => {
  const packages = outcome["packages"] as ReadonlyArray<Outcome> | undefined
  if (packages === undefined)
    return Object.entries(outcome).map(([name, value]) => `${name.padEnd(8)} ${plain(String(value))}`)
  if (packages.length === 0) return ["no packages"]
  return packages.map((one) =>
    plain(`${one["type"]} ${one["version"]}${one["yanked"] === true ? " (yanked)" : ""}  ${one["digest"]}`)
  )
}

/** Runs `hub registry <words>`; gives the exit code. */
export const registry = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>> = process.env
): Promise<number> => {
  const say = (text: string): void => void process.stdout.write(plainLines(`${text}\n`))
  const complain = (text: string): void => void process.stderr.write(plainLines(`${text}\n`))
  let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    complain(`hub registry: ${error instanceof Error ? error.message : String(error)}`)
    return 2
  }
  const { values, positionals } = parsed
  if (values.help === true) {
    say(help)
    return 0
  }
  const url = (values.url ?? environment["HUB_URL"] ?? "http://127.0.0.1:8080").replace(/\/+$/u, "")
  try {
    const outcome = await perform({ url, key: values.key ?? environment["HUB_KEY"] }, positionals, values)
    if (outcome === undefined) {
      complain(help)
      return 2
    }
    for (const line of values.json === true ? [plainJson(JSON.stringify(outcome))] : lines(outcome)) say(line)
    return 0
  } catch (error) {
    if (!(error instanceof PackRefused) && !(error instanceof CallRefused)) throw error
    complain(`hub registry: ${error.message}`)
    return 1
  }
}
