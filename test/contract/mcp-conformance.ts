/**
 * Runs the public conformance suite of MCP against an endpoint, through a proxy that adds a credential, because the
 * suite knows none. Owns the run and the reading of its checks; judges nothing.
 */
import { readdirSync, readFileSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { testFolder } from "../support/temporary-folder.ts"
import { fileOf, runNode, toolsFolder } from "./outside-tools.ts"

/** A proxy to a server, with this bearer on every request. */
export const credentialProxy = async (target: string, bearer: string) => {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${bearer}` }
    const passed = request(target + incoming.url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on("error", () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

interface Check {
  readonly id: string
  readonly status: string
}

/** What a run found: how many checks passed, and which failed, by scenario. */
export interface Found {
  readonly passed: number
  readonly failed: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Runs what a revision requires of servers. */
export const conformance = async (url: string, revision: string): Promise<Found> => {
  const folder = testFolder(`mcp-conformance-${revision}`)
  const args = ["server", "--url", `${url}/mcp`, "--requirements", revision, "--output-dir", folder]
  const { out, err } = await runNode(fileOf("mcp-conformance"), args, toolsFolder)
  const failed: Record<string, ReadonlyArray<string>> = {}
  let passed = 0
  for (const name of readdirSync(folder).sort()) {
    const checks = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as ReadonlyArray<Check>
    passed += checks.filter(({ status }) => status === "SUCCESS").length
    const wrong = checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id)
    if (wrong.length > 0) failed[/^server-(.+)-\d{4}-\d\d-\d\dT/u.exec(name)![1]!] = [...new Set(wrong)]
  }
  if (passed === 0) throw new Error(`the conformance suite did not run: ${out}${err}`)
  return { passed, failed }
}
