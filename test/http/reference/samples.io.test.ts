/**
 * Every sample of the reference is run, in its language, against a server that compares what arrives with the call that
 * a hub has answered.
 */
import { execFile } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { referenceOf } from "../../../http/reference/document.ts"
import { languages, sampleCallOf, samplesOf } from "../../../http/reference/samples.ts"
import { pythonMissing } from "../../examples/program.ts"
import { root } from "../../support/root.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const { operations } = referenceOf(Api, "/")
const all = operations.map((one) => ({ call: sampleCallOf(one), texts: samplesOf(one) }))

interface Arrived {
  readonly line: string
  readonly authorization: string | undefined
  readonly body: unknown
}
const arrived: Array<Arrived> = []
const server = createServer((request, response) => {
  let text = ""
  request.on("data", (some: Buffer) => (text += some.toString()))
  request.on("end", () => {
    const { method, url, headers } = request
    const body = text === "" ? undefined : JSON.parse(text)
    arrived.push({ line: `${method} ${decodeURIComponent(url!)}`, authorization: headers.authorization, body })
    const isStream = /\/(?:stream|events)(?:\?|$)/u.test(url!) && !url!.includes("/sessions/s1/events?")
    if (isStream && !/sessions\/s1\/events$/u.test(url!)) {
      response.writeHead(200, { "content-type": "text/event-stream" })
      return response.end('id: 1\nevent: end\ndata: {"reason":"credential"}\n\n')
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
})

let env: Record<string, string>
let folder: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  env = {
    PATH: process.env["PATH"]!,
    HUB_URL: `http://127.0.0.1:${port}`,
    HUB_KEY: "hub_sample",
    HUB_SESSION: "session.sample",
    HUB_JOIN_KEY: "hubj_sample"
  }
  folder = testFolder("samples")
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(join(root, "node_modules/@hub"), join(folder, "node_modules/@hub"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
})
afterAll(() => server.close())

const run = promisify(execFile)
const credentials = {
  HUB_KEY: "Bearer hub_sample",
  HUB_SESSION: "Bearer session.sample",
  HUB_JOIN_KEY: "Bearer hubj_sample"
}
const expected: ReadonlyArray<Arrived> = all.map(({ call: { method, path, credential, body } }) => ({
  line: `${method} ${decodeURIComponent(path)}`,
  authorization: credential === undefined ? undefined : credentials[credential],
  body
}))
const seen = (): ReadonlyArray<Arrived> => arrived.splice(0)

describe("every operation of the reference", () => {
  it("has a sample in each language, made from a call that a hub has answered", () => {
    expect(all.length).toBeGreaterThan(55)
    expect(all.filter(({ call }) => call.path.includes("{")).map(({ call }) => call.path)).toEqual([])
    for (const { texts } of all) expect(Object.keys(texts)).toEqual([...languages])
  })

  it("is called by curl as its sample says", async () => {
    const lines = all.map(({ texts }) => `${texts.curl} --silent --show-error`)
    await run("sh", ["-ec", lines.join("\n")], { env, cwd: folder })
    expect(seen()).toEqual(expected)
  })

  it.skipIf(pythonMissing)("is called by Python as its sample says", async () => {
    // each as a program of its own would run, in one process: to start Python takes longer than all of them
    const program =
      "import json, sys\nfor text in json.load(sys.stdin): exec(compile(text, 'sample', 'exec'), {'__name__': '__main__'})"
    const python = run("python3", ["-c", program], { env, cwd: folder })
    python.child.stdin!.end(JSON.stringify(all.map(({ texts }) => texts.Python)))
    await python
    expect(seen()).toEqual(expected)
  })

  it("is called by the client as its sample in TypeScript says, which compiles", async () => {
    const files = all.map(({ texts }, at) => {
      const file = join(folder, `sample-${at}.ts`)
      writeFileSync(file, `${texts.TypeScript}\nexport {}\n`)
      return file
    })
    const program = files.map((file) => `await import(${JSON.stringify(file)})`).join("\n")
    writeFileSync(join(folder, "all.ts"), `${program}\nprocess.exit(0)\n`)
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
      module: "nodenext",
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const compiled = await run(process.execPath, [tsc, "-p", folder]).catch((error: { stdout: string }) => error)
    expect(compiled.stdout).toBe("")
    await run(process.execPath, [join(folder, "all.ts")], { env, cwd: folder })
    expect(seen()).toEqual(expected)
  })
})
