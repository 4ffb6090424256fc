/** The built hub, which `./hub start`, the image and the tests run: the files beside its sources, its stacks. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { hubProcess } from "../support/hub-process.ts"
import { root } from "../support/root.ts"
import { useDatabase } from "../support/use-started.ts"

const program = join(root, "build/dist/hub.mjs")

const database = useDatabase()

it("serves pages, console and daemon, and is asked by its command line", async () => {
  const data = database.settings.dataDir!
  const hub = await hubProcess(data, undefined, {})
  await hub.start()
  const paths = ["/openapi.json", "/docs/people", "/", "/install.sh", "/.well-known/hub-daemon.json", "/api/v1/me"]
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${hub.url}${path}`)).status))
  expect(statuses).toEqual([200, 200, 200, 200, 200, 401])
  const listed = spawnSync(process.execPath, [program, "account", "list", "--json"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HUB_DATA_DIR: data }
  })
  expect([listed.status, JSON.parse(listed.stdout)]).toMatchObject([0, { accounts: [{ email: expect.any(String) }] }])
  expect(await hub.stop()).toBe(0)
})

it("names the sources in its stacks", () => {
  const fault = "process.umask = () => { throw new Error('planted') }"
  const words = ["--import", `data:text/javascript,${encodeURIComponent(fault)}`, program, "version"]
  const { stderr } = spawnSync(process.execPath, words, { encoding: "utf8" })
  expect(stderr).toMatch(/Error: planted\n {4}at .*\n {4}at file:\/\/.*\/src\/hub\/composition-root\.ts:\d+:\d+\n/u)
})
