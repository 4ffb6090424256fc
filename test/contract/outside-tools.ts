/**
 * Runs the outside tools that hold the OpenAPI document and the MCP endpoint. Owns how each is called, and that none of
 * them asks the network for anything. install-tools.ts brings them; what they say is judged by the tests.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { root } from "../support/root.ts"

/** The folder of the tools' package. */
export const toolsFolder = join(root, "test/contract")

/** Their programs, from the folder of the tools' package. */
const programs = {
  redocly: "node_modules/@redocly/cli/bin/cli.js",
  spectral: "node_modules/@stoplight/spectral-cli/dist/index.js",
  "openapi-typescript": "node_modules/openapi-typescript/bin/cli.js",
  "openapi-ts": "node_modules/@hey-api/openapi-ts/bin/run.js",
  "mcp-conformance": "node_modules/@modelcontextprotocol/conformance/dist/index.js"
} as const

/** One tool. */
export type Tool = keyof typeof programs

/** No telemetry, no look for a newer version, no colours. */
const quiet = {
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  SCARF_ANALYTICS: "false",
  DO_NOT_TRACK: "1",
  CI: "true",
  NO_COLOR: "1"
}

/** What a program said, and how it ended. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts a file with Node, with nothing of this process's environment but the path, and with this. */
export const startNode = (
  file: string,
  args: ReadonlyArray<string>,
  folder: string,
  environment: Readonly<Record<string, string>> = {}
) =>
  spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...quiet, ...environment },
    stdio: ["pipe", "pipe", "pipe"]
  })

/** The file of a tool. */
export const fileOf = (tool: Tool): string => join(toolsFolder, programs[tool])

/** Runs a file with Node to its end. */
export const runNode = async (
  file: string,
  args: ReadonlyArray<string>,
  folder: string,
  input = ""
): Promise<Ended> => {
  const child = startNode(file, args, folder)
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: code as number | null, out, err }
}

/** Runs a tool to its end. */
export const runTool = (tool: Tool, args: ReadonlyArray<string>, folder: string): Promise<Ended> =>
  runNode(fileOf(tool), args, folder)
