/**
 * `hub registry`: what a publisher uses. Owns its words, flags and exit codes (0 done, 1 refused, 2 not understood);
 * packing is pack.ts's and the sentences of refusals are refusal.ts's.
 */
import { createHash } from "node:crypto"
import { createClient, type HubClient, headerSecret, type Input } from "../client/src/index.ts"
import {
  ArgumentError,
  argued,
  asksHelp,
  type Flags,
  flagLines,
  readArguments,
  type Values
} from "../src/cli/arguments.ts"
import { plain, plainJson, plainLines } from "../src/runtime/escape.ts"
import { pack } from "./pack.ts"
import { CallRefused, PackRefused, refusing } from "./refusal.ts"

const flags = {
  url: { kind: "url", says: "the hub (default: $HUB_URL, else http://127.0.0.1:8080)" },
  key: { kind: "text", says: "an API key with registry:publish (default: $HUB_KEY, which no shell history keeps)" },
  channel: {
    kind: "text",
    says: "stable (default) or preview, for yank, restore and list; what is published goes to preview"
  },
  type: { kind: "text", says: "the type of a package whose provider.json does not say" },
  version: { kind: "text", says: "its version" },
  category: { kind: "text", says: "its category" },
  "dry-run": { kind: "switch", says: "of publish: pack and list what would be published, and send nothing" },
  "allow-secret": {
    kind: "file",
    many: true,
    says: "of publish: a file of the package that may go in although it looks like a secret; may be given more than once"
  },
  json: { kind: "switch", says: "print exactly one JSON object" }
} satisfies Flags
type Given = Values<typeof flags>

const help = `usage: hub registry publish <folder|file>   pack and publish to preview; prints the digest
       hub registry promote <type> <version>  make a preview version stable
       hub registry yank <type> <version>     yank it (--channel preview: there)
       hub registry restore <type> <version>  take a yank back (--channel preview: there)
       hub registry list [type]               newest of every type, or every version of one

${flagLines(flags).join("\n")}`

type Outcome = Readonly<Record<string, unknown>>
type Registry = HubClient["registry"]

const described = ["type", "version", "category", "name", "displayName", "description"] as const

const publishPath = async (hub: () => Registry, path: string, given: Given): Promise<Outcome> => {
  const { type, version, category } = given
  const { description, artifact, files: paths } = await pack(path, new Set(given["allow-secret"] ?? []))
  const known = Object.fromEntries(
    described.flatMap((name) => (description[name] === undefined ? [] : [[name, description[name]]]))
  )
  const named = Object.fromEntries(
    Object.entries({ type, version, category }).filter(([, value]) => value !== undefined)
  )
  const digest = `sha256:${createHash("sha256").update(artifact).digest("hex")}`
  const packed = { digest, size: artifact.length, files: paths.length, paths }
  if (given["dry-run"] === true) return { status: "dry_run", ...known, ...named, ...packed }
  const answer = await hub().publish({
    ...known,
    ...named,
    ...(Object.keys(description).length === 0 ? {} : { manifest: description }),
    artifact: Buffer.from(artifact).toString("base64"),
    channel: "preview"
    // the hub judges what a description says
  } as Input<"registry.publish">)
  if (answer.digest !== digest) throw new CallRefused(`the hub kept ${answer.digest}, packed was ${digest}`)
  return { status: answer.status, type: answer.type, version: answer.version, ...packed }
}

const short = (answer: Outcome, status: unknown): Outcome => {
  const { type, version, channel, digest } = answer
  return { status, type, version, channel, digest }
}

/** The versions of a type, or with no type the newest of every one. */
const list = async (hub: Registry, type: string | undefined, channel: string | undefined): Promise<Outcome> => {
  const found: Array<Outcome> = []
  if (type !== undefined) found.push(...(await hub.type({ type, channel })).versions)
  else for await (const one of hub.list({ limit: 100, channel })) found.push(one)
  return {
    packages: found.map(({ type, version, category, yanked, downloads, digest }) => ({
      type,
      version,
      category,
      yanked,
      downloads,
      digest
    }))
  }
}

/** Only the channels there are: the hub takes any other word for stable, and a typing error must not yank there. */
const fits = (verb: string | undefined, channel: string | undefined): boolean => {
  if (channel === undefined) return true
  return verb === "publish" ? channel === "preview" : verb !== "promote" && ["stable", "preview"].includes(channel)
}

const perform = async (
  hub: () => Registry,
  words: ReadonlyArray<string>,
  given: Given
): Promise<Outcome | undefined> => {
  const [verb, first, second] = words
  const { channel } = given
  if (!fits(verb, channel)) return undefined
  if (verb === "publish" && first !== undefined && second === undefined) return publishPath(hub, first, given)
  if (verb === "list" && second === undefined) return list(hub(), first, channel)
  if (first === undefined || second === undefined) return undefined
  const named = { type: first, version: second }
  if (verb === "promote") {
    const answer = await hub().promote(named)
    return short(answer, answer.status)
  }
  if (verb === "restore") return short(await hub().restore({ ...named, channel }), "restored")
  return verb === "yank" ? short(await hub().yank({ ...named, channel }), "yanked") : undefined
}

const lines = (outcome: Outcome): ReadonlyArray<string> => {
  const packages = outcome["packages"] as ReadonlyArray<Outcome> | undefined
  if (packages === undefined) {
    const { paths = [], ...rest } = outcome
    return [
      ...(paths as ReadonlyArray<string>).map((path) => `packed   ${plain(path)}`),
      ...Object.entries(rest).map(([name, value]) => `${name.padEnd(8)} ${plain(String(value))}`)
    ]
  }
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
  if (asksHelp(args)) {
    say(help)
    return 0
  }
  try {
    const { values, words } = readArguments({ name: "it", flags, wordsMax: 3 }, args)
    const url = (values.url ?? environment["HUB_URL"] ?? "http://127.0.0.1:8080").replace(/\/+$/u, "")
    const [place, key] = values.key === undefined ? ["HUB_KEY", environment["HUB_KEY"]] : ["--key", values.key]
    const credential = key === undefined ? undefined : argued(() => headerSecret(`the API key of ${place}`, key))
    const hub = () => createClient({ url, ...(credential !== undefined && { credential }) })
    const outcome = await refusing(url, () => perform(() => hub().registry, words, values))
    if (outcome === undefined) {
      complain(help)
      return 2
    }
    for (const line of values.json === true ? [plainJson(JSON.stringify(outcome))] : lines(outcome)) say(line)
    return 0
  } catch (error) {
    const misused = error instanceof ArgumentError
    if (!misused && !(error instanceof PackRefused) && !(error instanceof CallRefused)) throw error
    complain(`hub registry: ${error.message}`)
    return misused ? 2 : 1
  }
}
