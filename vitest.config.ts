/** How the tests run: pure rules once, everything else on both databases. Owns the projects; contains no test. */
import { defineConfig } from "vitest/config"

const everything = ["test/**/*.test.ts"]
const pure = ["test/pure/**/*.test.ts"]
/** Have no database in it, or one of their own: once is enough. */
const withoutDatabase = ["test/daemon/**/*.test.ts", "test/bus/**/*.test.ts", "test/http/framing/**/*.test.ts"]
/** Several hubs on one database, which the embedded one does not allow. */
const severalHubs = [
  "test/http/nodes.test.ts",
  "test/protocol/restarts.test.ts",
  "test/cli/workers.test.ts",
  "test/http/proxy.test.ts",
  "test/faults/**/*.test.ts"
]
const patienceMillis = 120_000
/** In the gate a test that a crowded machine upset may try again; vitest reports it. On a developer's machine it fails. */
const retry = process.env["CI"] === "true" ? 2 : 0

const onDatabase = (name: "embedded" | "postgres") => ({
  test: {
    name,
    include: everything,
    exclude: name === "postgres" ? [...pure, ...withoutDatabase] : [...pure, ...severalHubs],
    env: { HUB_TEST_DATABASE: name },
    retry,
    testTimeout: patienceMillis,
    hookTimeout: patienceMillis,
    globalSetup: [name === "postgres" ? "test/support/postgres.ts" : "test/support/template.ts"]
  }
})

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: "pure", include: pure, retry, testTimeout: patienceMillis, hookTimeout: patienceMillis } },
      onDatabase("embedded"),
      onDatabase("postgres")
    ]
  }
})
