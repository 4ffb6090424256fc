/** docs/changing.md: what it says is enough. Its examples are put into a copy of the sources, which runs. */
import { execFile } from "node:child_process"
import { cpSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { hubProcess } from "../support/hub-process.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { documentedChanges } from "./documented-changes.ts"

const copied = ["src", "actors", "http", "package.json"]

/** What is not changed is linked. */
const changedTree = (): string => {
  const tree = testFolder("changed")
  for (const name of copied) cpSync(join(root, name), join(tree, name), { recursive: true })
  for (const name of readdirSync(root)) if (!copied.includes(name)) symlinkSync(join(root, name), join(tree, name))
  for (const [path, text] of documentedChanges()) writeFileSync(join(tree, path), text)
  return tree
}

/** What the compiler has to say. The types of the browser come, in the project, with the files of tests. */
const compiled = async (tree: string): Promise<string> => {
  const config = join(tree, "tsconfig.changed.json")
  const compilerOptions = { lib: ["es2024", "dom", "dom.iterable"] }
  const include = ["http", "actors", "src/hub", "daemon/*.d.ts"]
  writeFileSync(config, JSON.stringify({ extends: "./tsconfig.json", compilerOptions, include }))
  const compiler = join(root, "node_modules/.bin/tsc")
  const words = promisify(execFile)(compiler, ["--noEmit", "-p", config], { cwd: tree })
  return words.then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout
  )
}

const answersOf = async (tree: string, env: Record<string, string>) => {
  const hub = await hubProcess(testFolder("data"), undefined, env)
  await hub.start(tree)
  const get = (path: string) => fetch(hub.url + path)
  const answer = await get("/api/v1/notice")
  const body = await answer.json()
  const { paths } = (await (await get("/openapi.json")).json()) as { paths: Record<string, object> }
  const metrics = await (await get("/metrics")).text()
  await hub.stop()
  const documented = JSON.stringify(paths["/api/v1/notice"])
  return { status: answer.status, body, documented, metrics }
}

it("a hub with the examples compiles, answers the endpoint by its setting or its failure, and counts its actors", async () => {
  const tree = changedTree()
  const [withNotice, without, complaints] = await Promise.all([
    answersOf(tree, { HUB_NOTICE: "back at noon" }),
    answersOf(tree, {}),
    compiled(tree)
  ])
  expect(complaints).toBe("")
  expect(withNotice).toMatchObject({ status: 200, body: { notice: "back at noon" } })
  expect(without).toMatchObject({ status: 404, body: { reason: "NOTICE_MISSING", setting: "HUB_NOTICE" } })
  expect(without.documented).toContain("What the operators want everyone to know")
  expect(without.metrics).toContain('hub_actor_crashes_total{kind="notifier"} 0')
})
