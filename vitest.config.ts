/** How the tests run: pure rules once, everything else on both databases. Owns the projects; contains no test. */
import { defineConfig } from "vitest/config"

const everything = ["test/**/*.test.ts"]
const pure = ["test/pure/**/*.test.ts"]
const patienceMillis = 60_000

const onDatabase = (name: "embedded" | "postgres") => ({
  test: {
    name,
    include: everything,
    exclude: pure,
    env: { HUB_TEST_DATABASE: name },
    testTimeout: patienceMillis,
    hookTimeout: patienceMillis,
    globalSetup: [name === "postgres" ? "test/support/postgres.ts" : "test/support/template.ts"]
  }
})

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: "pure", include: pure, testTimeout: patienceMillis } },
      onDatabase("embedded"),
      onDatabase("postgres")
    ]
  }
})
