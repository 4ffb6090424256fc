/** How the tests run: pure rules once, what uses a database on both. Owns the projects; contains no test. */
import { defineConfig } from "vitest/config"

/** The kind of a test file is its suffix; what has none is pure: no process, no store, or a store of its own. */
const databaseTests = ["test/**/*.db.test.ts"]
/**
 * The front and the daemon socket reach a database through the stores alone, which are tested on both: in the gate they
 * are tested on Postgres, on the embedded one only with HUB_TEST_EMBEDDED=all, as every night.
 */
const inGate = process.env["CI"] !== undefined && process.env["HUB_TEST_EMBEDDED"] !== "all"
const onPostgresOnly = inGate ? ["test/http/**/*.db.test.ts", "test/protocol/**/*.db.test.ts"] : []
/** Real sockets, processes or Redis, but no shared database: once is enough. */
const ioTests = ["test/**/*.io.test.ts"]
/**
 * Several hubs on one database, which the embedded one does not allow; the faults among them are real processes that
 * are harmed.
 */
const clusterTests = ["test/**/*.cluster.test.ts", "test/**/*.faults.test.ts"]
/** A real browser against a real hub. */
const browserTests = ["test/**/*.browser.test.ts"]
/** Outside tools against the OpenAPI document: they are installed when such a test runs. */
const contractTests = ["test/**/*.contract.test.ts"]
const pure = {
  include: ["test/**/*.test.ts"],
  exclude: [...databaseTests, ...ioTests, ...clusterTests, ...contractTests, ...browserTests, "**/node_modules/**"]
}
const patienceMillis = 120_000

const onDatabase = (name: "embedded" | "postgres") => ({
  test: {
    name,
    include:
      name === "postgres" ? [...databaseTests, ...clusterTests] : [...databaseTests, ...ioTests, ...browserTests],
    exclude: name === "postgres" ? ["**/node_modules/**"] : [...onPostgresOnly, "**/node_modules/**"],
    env: { HUB_TEST_DATABASE: name },
    testTimeout: patienceMillis,
    hookTimeout: patienceMillis,
    globalSetup: [name === "postgres" ? "test/support/postgres.ts" : "test/support/template.ts"]
  }
})

export default defineConfig({
  test: {
    // more than the gate's two cores: many tests wait for processes
    maxWorkers: 3,
    projects: [
      { test: { name: "pure", ...pure, testTimeout: patienceMillis, hookTimeout: patienceMillis } },
      onDatabase("embedded"),
      onDatabase("postgres"),
      {
        test: {
          name: "contract",
          include: contractTests,
          env: { HUB_TEST_DATABASE: "embedded" },
          testTimeout: patienceMillis,
          hookTimeout: patienceMillis,
          globalSetup: ["test/support/template.ts", "test/contract/install.ts"]
        }
      }
    ]
  }
})
