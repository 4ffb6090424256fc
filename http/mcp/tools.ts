/**
 * The tools of a hub, made from the contract: one for each operation that an agent has a use for. Owns which these are,
 * but that the contract's annotations may exclude or name one, their definitions, and who may see which; calls nothing.
 */
import type { Tool } from "@modelcontextprotocol/server"
import type { Principal } from "../../src/domain/account/principal.ts"
import type { Access } from "../api/access.ts"
import type { Reference } from "../reference/document.ts"
import type { Schemas } from "../reference/json-schemas.ts"
import { needsOf, type Operation } from "../reference/operations.ts"
import { inputSchema, mayBeStored, outputSchema } from "./tool-schemas.ts"

/** Groups that serve operators, people who sign in, browsers and readers of documents. */
const groupsApart = new Set(["system", "auth", "deviceCodes", "reference", "turn"])

const isJson = ({ spec }: Operation): boolean =>
  Object.entries(spec["responses"] as Readonly<Record<string, { readonly content?: object }>>)
    .filter(([status]) => status.startsWith("2"))
    .every(([, { content }]) => content !== undefined && Object.keys(content).join() === "application/json")

/** Whether an operation is a tool: one whose caller may be an API key, and that answers with JSON, once. */
export const isTool = (operation: Operation): boolean => {
  const { access, tag, method } = operation
  if (access.kind === "session" || access.kind === "joinKey" || access.recent === true || access.streams !== undefined)
    return false
  return !groupsApart.has(tag) && access.tool !== false && method !== "head" && isJson(operation)
}

/** `commands.getAll` is `get_all_commands` where the contract gives no other name. */
const toolName = (id: string, { tool }: Operation["access"]): string => {
  const [group = "", own = ""] = id.split(".")
  return tool || `${own.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)}_${group}`
}

export interface HubTool {
  /** `daemons.list` */
  readonly operation: string
  readonly definition: Tool
  readonly access: Access
  readonly queryNames: ReadonlyArray<string>
  /** Whether its command may outlive the call. */
  readonly mayBeStored: boolean
}

const annotationsOf = (method: string): NonNullable<Tool["annotations"]> =>
  method === "get"
    ? { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false }
    : { readOnlyHint: false, idempotentHint: method === "delete", destructiveHint: true, openWorldHint: true }

const describe = ({ spec, access }: Operation): string => {
  const said = String(spec["description"] ?? "").split("\n\nNeeds:")[0]!
  const needs = needsOf(access).filter((one) => one.startsWith("Scope"))
  const words = said.startsWith("Needs:") ? [] : [said]
  return [`${String(spec["summary"])}.`, ...words, ...needs.map((one) => `${one}.`)]
    .filter((one) => one !== "")
    .join(" ")
}

const toolOf = (operation: Operation, schemas: Schemas): HubTool => {
  const { spec, access, method } = operation
  const id = String(spec["operationId"])
  const parameters = spec["parameters"] as ReadonlyArray<{ readonly name?: string; readonly in?: string }>
  const definition: Tool = {
    name: toolName(id, access),
    title: String(spec["summary"]),
    description: describe(operation),
    inputSchema: inputSchema({ operation, schemas }) as Tool["inputSchema"],
    outputSchema: outputSchema({ operation, schemas }) as NonNullable<Tool["outputSchema"]>,
    annotations: annotationsOf(method)
  }
  const queryNames = parameters.filter((one) => one.in === "query").map(({ name }) => name!)
  return { operation: id, definition, access, queryNames, mayBeStored: mayBeStored(operation) }
}

/** The tools, by name, in the order of the contract. */
export const toolsOf = ({ document, operations }: Reference): ReadonlyMap<string, HubTool> => {
  const { schemas } = document["components"] as { readonly schemas: Schemas }
  const tools = new Map<string, HubTool>()
  for (const operation of operations.filter(isTool)) {
    const tool = toolOf(operation, schemas)
    if (tools.has(tool.definition.name)) throw new Error(`two tools are called ${tool.definition.name}`)
    tools.set(tool.definition.name, tool)
  }
  return tools
}

/** The tools of a hub, by name. */
export type HubTools = ReadonlyMap<string, HubTool>

/** Whether a principal's scopes allow a tool. The guard decides again at each call. */
export const isAllowed = ({ access }: HubTool, { scopes }: Principal): boolean => {
  if (access.scope !== undefined && !scopes.has(access.scope)) return false
  return access.anyScope === undefined || access.anyScope.some((scope) => scopes.has(scope))
}
