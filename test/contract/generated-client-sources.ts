/**
 * Makes the two files of the client that come from the contract: its types, by openapi-typescript, and the table of its
 * operations. Owns what is left out of the document for them; writes nothing.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runTool } from "./outside-tools.ts"

type Json = Readonly<Record<string, unknown>>
type Operation = Json & {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: ReadonlyArray<Json>
  readonly requestBody?: Json
  readonly responses: Readonly<Record<string, Json>>
}

/** The document that both are made from. */
export interface Contract extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const generated =
  "Generated from the contract by test/contract/generated-client-sources.ts; a test compares. Not edited by hand."
const unneeded = new Set(["example", "examples", "x-on-hang-up", "security"])

/** Examples, headers of answers and HEAD stand for nothing that the client's types say. */
const bare = (value: unknown, within = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => bare(one, within))
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([name, one]) => {
    if (within === "properties") return true
    if (unneeded.has(name)) return false
    return !(name === "headers" && typeof one === "object" && within !== "components")
  })
  return Object.fromEntries(kept.map(([name, one]) => [name, bare(one, name)]))
}

const withoutHead = (contract: Contract): Json => ({
  ...contract,
  paths: Object.fromEntries(
    Object.entries(contract.paths).map(([path, { head: _, ...operations }]) => [path, operations])
  )
})

/** The types of every schema and operation. */
export const clientTypes = async (contract: Contract): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "hub-client-"))
  try {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(bare(withoutHead(contract))))
    const args = ["openapi.json", "--output", "types.ts", "--root-types", "--root-types-no-schema-prefix"]
    const { code, err } = await runTool("openapi-typescript", args, folder)
    if (code !== 0) throw new Error(`openapi-typescript ended with ${code}: ${err}`)
    const text = readFileSync(join(folder, "types.ts"), "utf8")
    // what is addressed by path, and what the hub calls, are the operations once more
    const single = text.replace(/^export (?:interface paths|interface webhooks) \{\n[\s\S]*?^\}\n/gmu, "")
    return single.replace(/^\/\*\*[\s\S]*?\*\//u, `/** The types of every schema and operation. ${generated} */`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const named = (operation: Operation, place: string): ReadonlyArray<string> =>
  (operation.parameters ?? []).filter((one) => one["in"] === place).map((one) => String(one["name"]))

const isStream = ({ responses }: Operation): boolean =>
  "text/event-stream" in ((responses["200"]?.["content"] ?? {}) as Json)

const answerOf = (operation: Operation): string => {
  if (isStream(operation)) return "stream"
  const types = Object.keys((operation.responses["200"]?.["content"] ?? {}) as Json)
  if (types[0] === "text/plain") return "text"
  return types[0] === "application/octet-stream" ? "bytes" : "json"
}

const keyed = ({ parameters = [] }: Operation): boolean =>
  parameters.some((one) => String(one["$ref"]).endsWith("/IdempotencyKey"))

/** The operations, by name: how each is called. */
export const clientOperations = (contract: Contract): string => {
  const rows = Object.entries(contract.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      // a browser goes to these, and is sent on
      .filter(([method, { responses }]) => method !== "head" && !("302" in responses))
      .map(([method, operation]) => {
        const query = named(operation, "query")
        const members = [
          `method: "${method.toUpperCase()}"`,
          `path: "${path}"`,
          ...(query.length > 0 ? [`query: ${JSON.stringify(query).replaceAll(",", ", ")}`] : []),
          ...(operation.requestBody === undefined ? [] : ["body: true"]),
          ...(keyed(operation) ? ["keyed: true"] : []),
          `answer: "${answerOf(operation)}"`
        ]
        return `  "${operation.operationId}": {\n    ${members.join(",\n    ")}\n  }`
      })
  )
  return `/** How each operation is called. ${generated} */\n\n/** Every operation, by name. */\nexport const operations = {\n${rows.join(",\n")}\n} as const\n`
}
