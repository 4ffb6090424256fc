/** How the tests run: the projects, and which files belong to which tier. Contains no test. */
import { configDefaults, defineConfig } from "vitest/config"
import { has } from "./test/support/machine.ts"

/** The kind of a test file is the end of its name; what has none is a rule: no process, no store of the project. */
const kinds = {
  database: "test/**/*.db.test.ts",
  /** Real sockets, processes or Redis, but no shared database: once is enough. */
  io: "test/**/*.io.test.ts",
  /** Several hubs on one database, which the embedded one does not allow. */
  cluster: "test/**/*.cluster.test.ts",
  /** The same, with real processes that are harmed. */
  faults: "test/**/*.faults.test.ts",
  /** A real browser against a real hub. */
  browser: "test/**/*.browser.test.ts",
  /** Outside tools against the documents: they are installed when such a test runs. */
  contract: "test/**/*.contract.test.ts"
}
const ofNodes = has.redis ? [kinds.cluster, kinds.faults] : []
/** What reaches a database through the stores alone, which are tested on both: on Postgres, if there is one. */
const overStores = ["test/!(src|simulation)/**/*.db.test.ts", "test/src/!(store)/**/*.db.test.ts"]
const tier = process.env["HUB_TEST_TIER"] ?? "gate"
const atNight = tier === "night"
const exclude = [...configDefaults.exclude, ...(atNight ? [] : ["test/**/*.night*.test.ts"])]

/** In a minute: the rules, each store on one database, one story through a real hub and a real daemon. */
const fast = { stores: "test/src/store/**/*.db.test.ts", story: "test/daemon/demo.io.test.ts" }
const only = (include: ReadonlyArray<string>, ofFast: ReadonlyArray<string>): Array<string> => [
  ...(tier === "fast" ? ofFast : include)
]

/** A guard against what hangs, on a machine that is busy with other things; no verdict. No test has one of its own. */
const guardMillis = atNight ? 7_200_000 : 600_000
// a worker reads each module once for all of its files: none leaves anything behind that another one sees
const common = { testTimeout: guardMillis, hookTimeout: guardMillis, isolate: false }
const embedded = { HUB_TEST_DATABASE: "embedded" }
const postgres = { HUB_TEST_DATABASE: "postgres" }

export default defineConfig({
  test: {
    // more than the gate's two cores: many tests wait for processes
    maxWorkers: 4,
    reporters: [["default", { summary: false }], "./test/run/reporter.ts"],
    slowTestThreshold: 10_000,
    sequence: { sequencer: (await import("./test/run/longest-first.ts")).default },
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: "rules",
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, ...Object.values(kinds)]
        }
      },
      {
        extends: true,
        test: {
          ...common,
          name: "postgres",
          include: has.postgres ? only([kinds.database, ...ofNodes], [fast.stores]) : [],
          exclude,
          env: postgres,
          globalSetup: ["test/support/postgres-server.ts"]
        }
      },
      {
        extends: true,
        test: {
          ...common,
          name: "embedded",
          include: only([kinds.database, kinds.io, ...(has.chromium ? [kinds.browser] : [])], [fast.story]),
          exclude: [...exclude, ...(atNight || !has.postgres ? [] : overStores)],
          env: embedded,
          // the story makes a database of its own
          globalSetup: tier === "fast" ? [] : ["test/support/embedded-template.ts"]
        }
      },
      {
        extends: true,
        test: {
          ...common,
          name: "contract",
          include: only([kinds.contract], []),
          exclude,
          env: embedded,
          globalSetup: ["test/support/embedded-template.ts", "test/contract/install-tools.ts"]
        }
      }
    ]
  }
})
