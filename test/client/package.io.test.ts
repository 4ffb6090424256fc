/**
 * The client as it is published: packed, installed into an empty folder, compiled there as a careful caller does, the
 * samples of its README included, and run against a real hub.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { runNode } from "../contract/outside-tools.ts"
import { useHub } from "../support/hub.ts"
import { root } from "../support/root.ts"
import { packedClient } from "./packed-client.ts"

const program = `
import { createClient, Refused } from "@hub/client"
const [url, credential] = process.argv.slice(2)
const client = createClient({ url: url!, credential: credential! })
const { account } = await client.account.me()
const refused = await client.daemons.status({ daemonId: "dmn_unknown" }).catch((error: unknown) => error)
console.log(JSON.stringify({ id: account.id, reason: refused instanceof Refused ? refused.reason : null }))
`
const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
  module: "nodenext",
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
  strict: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  rootDir: ".",
  outDir: "built"
}

const samples = [...readFileSync(join(root, "client/README.md"), "utf8").matchAll(/^```ts\n([\s\S]*?)^```/gmu)].map(
  ([, text]) => text!
)
const isOfEffect = (text: string): boolean => text.includes('"@hub/client/effect"')

let folder: string
const hub = useHub()
beforeAll(async () => {
  folder = await packedClient()
  mkdirSync(join(folder, "samples"))
  writeFileSync(join(folder, "program.ts"), program)
  for (const [at, text] of samples.entries()) writeFileSync(join(folder, "samples", `sample-${at}.ts`), text)
})

const compile = (name: string, files: ReadonlyArray<string>, skipLibCheck: boolean) => {
  const config = join(folder, `${name}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck }, files }))
  return runNode(join(root, "node_modules/typescript/bin/tsc"), ["-p", config], folder)
}
const sampleFiles = (effect: boolean) =>
  samples.flatMap((text, at) => (isOfEffect(text) === effect ? [`samples/sample-${at}.ts`] : []))

describe("the packed client", () => {
  it("compiles in a program, its types and the samples of its README included, without Effect being there", async () => {
    expect(sampleFiles(false).length).toBeGreaterThan(3)
    expect(await compile("plain", ["program.ts", ...sampleFiles(false)], false)).toEqual({ code: 0, out: "", err: "" })
  })

  it("calls a hub from the built program", async () => {
    const { account, key } = await hub.withKey(["ide:read"])
    const { out, err } = await runNode(join(folder, "built/program.js"), [hub.url, key], folder)
    expect(err).toBe("")
    expect(JSON.parse(out)).toEqual({ id: account.accountId, reason: "NOT_FOUND" })
  })

  it("compiles with its flavour for Effect where that is installed", async () => {
    symlinkSync(join(root, "node_modules/effect"), join(folder, "node_modules/effect"))
    expect(sampleFiles(true).length).toBe(1)
    expect(await compile("effect", sampleFiles(true), true)).toEqual({ code: 0, out: "", err: "" })
  })
})
