/**
 * The reference as Markdown: the whole, each operation by itself, and the index for language models (llms.txt). Owns
 * their text; page.ts is the same for people.
 */
import { problems, type Row } from "../api/problems.ts"
import type { Reference } from "./document.ts"
import type { Json } from "./json-schemas.ts"
import { needsOf, type Operation } from "./operations.ts"
import { languages, samplesOf } from "./samples.ts"
import { typeOf } from "./schema-text.ts"
import { contentOf, exampleOf, failuresOf, hangUps, parametersOf, saidOf, titleOf } from "./spec.ts"

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
const shape = (schema: unknown): string => fence("ts", typeOf(schema).replace(/\bshape:/gu, ""))
const cell = (text: string): string => text.replace(/\|/gu, "\\|").replace(/\s+/gu, " ")
const fences: Readonly<Record<(typeof languages)[number], string>> = { curl: "sh", TypeScript: "ts", Python: "python" }

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

const parameters = (spec: Json): ReadonlyArray<string> => {
  const all = parametersOf(spec)
  if (all.length === 0) return []
  const rows = all.map(({ name, where, isRequired, text }) => [
    `\`${name}\``,
    isRequired ? where : `${where}, optional`,
    text
  ])
  return [table(["Name", "In", "Meaning"], rows)]
}

const example = (holder: unknown): ReadonlyArray<string> => {
  const shown = exampleOf(holder)
  return shown === undefined ? [] : [fence("json", JSON.stringify(shown, null, 2))]
}

const body = ({ requestBody }: Json): ReadonlyArray<string> => {
  const schema = contentOf(requestBody)
  return schema === undefined ? [] : ["**Body**", shape(schema), ...example(requestBody)]
}

const answers = (spec: Json): ReadonlyArray<string> =>
  Object.entries((spec["responses"] ?? {}) as Json)
    .filter(([status]) => /^\d{3}$/u.test(status))
    .flatMap(([status, response]) => {
      const shared = (response as Json)["$ref"]
      if (typeof shared === "string") return [`**${status}**: ${failuresOf(shared).join(", ")}`]
      const schema = contentOf(response)
      return [`**${status}**`, ...(schema === undefined ? [] : [shape(schema)]), ...example(response)]
    })

const operationParts = (one: Operation, level: string): ReadonlyArray<string> => {
  const { spec, method, path, access } = one
  const said = saidOf(one)
  const shown = samplesOf(one)
  return [
    `${level} ${titleOf(one)}`,
    fence("http", `${method.toUpperCase()} ${path}`),
    ...(said === "" ? [] : [said]),
    `${[...needsOf(access), hangUps[access.onHangUp]].join("; ")}.`,
    ...parameters(spec),
    ...body(spec),
    ...languages.map((name) => fence(fences[name], shown[name])),
    ...answers(spec)
  ]
}

const errors = (): ReadonlyArray<string> => {
  const sorted = Object.values<Row>(problems).sort((a, b) => a.status - b.status)
  const rows = sorted.map((row) => [String(row.status), `\`${row.reason}\``, row.code ?? "", row.sentence])
  return [
    "## Errors",
    "Every error is `{error, code?, reason, requestId, docs, …}`.",
    table(["Status", "reason", "code", "error"], rows)
  ]
}

const schemasOf = (document: Json): ReadonlyArray<readonly [name: string, schema: unknown]> =>
  Object.entries(((document["components"] as Json)["schemas"] ?? {}) as Json).sort(([a], [b]) => (a < b ? -1 : 1))

const titleOfAll = ({ document }: Reference): string => (document["info"] as { readonly title: string }).title

const credentials =
  "Send `Authorization: Bearer …` with every call that needs a credential. The samples read the hub's address from `HUB_URL`, an API key from `HUB_KEY` and the token of a dashboard session from `HUB_SESSION`."

const groupsOf = ({ operations }: Reference): ReadonlyArray<readonly [tag: string, of: ReadonlyArray<Operation>]> =>
  [...new Set(operations.map(({ tag }) => tag))].map((tag) => [tag, operations.filter((one) => one.tag === tag)])

/** The name of an operation's own page, without its ending. */
export const pageNameOf = ({ spec }: Operation): string => String(spec["operationId"])

export const markdownOf = (reference: Reference): string =>
  [
    `# ${titleOfAll(reference)}`,
    credentials,
    ...groupsOf(reference).flatMap(([tag, of]) => [`## ${tag}`, ...of.flatMap((one) => operationParts(one, "###"))]),
    ...errors(),
    "## Shapes",
    ...schemasOf(reference.document).flatMap(([name, schema]) => [`### ${name}`, shape(schema)])
  ].join("\n\n")

/** The page of one operation, with the shapes that it names. */
export const operationMarkdownOf = (reference: Reference, one: Operation): string => {
  const schemas = new Map(schemasOf(reference.document))
  const named = new Set<string>()
  const follow = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/gu)) {
      if (named.has(name!) || !schemas.has(name!)) continue
      named.add(name!)
      follow(schemas.get(name!))
    }
  }
  follow(one.spec)
  const shapes = [...named].sort().flatMap((name) => [`### ${name}`, shape(schemas.get(name))])
  return [...operationParts(one, "#"), ...(shapes.length === 0 ? [] : ["## Shapes", ...shapes])].join("\n\n")
}

/** The index for language models (llmstxt.org). */
export const llmsOf = (reference: Reference): string =>
  [
    `# ${titleOfAll(reference)}`,
    "> A REST API through which accounts automate their own machines: daemons, commands, agents' sessions, webhooks, events.",
    credentials,
    ...groupsOf(reference).flatMap(([tag, of]) => [
      `## ${tag}`,
      of
        .map((one) => `- [${titleOf(one)}](/docs/${pageNameOf(one)}.md): \`${one.method.toUpperCase()} ${one.path}\``)
        .join("\n")
    ]),
    "## Optional",
    "- [The whole reference](/docs.md)\n- [OpenAPI document](/openapi.json)\n- [AsyncAPI document](/asyncapi.json): the daemon socket, streams, webhooks"
  ].join("\n\n")
