/**
 * Which operations of the contract are tools for an agent, and what each tool is called. Owns the rule; the contract's
 * annotations say a better name, or that an agent has no use for an operation.
 */
import type { Operation } from "../reference/operations.ts"

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
export const toolName = (id: string, { tool }: Operation["access"]): string => {
  const [group = "", own = ""] = id.split(".")
  return tool || `${own.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)}_${group}`
}
