/** What may be used in one home only, and what to use elsewhere. */
import { expect, it } from "vitest"
import { type HouseFile, houseFiles, places } from "./project-files.ts"

const inside =
  (...folders: ReadonlyArray<string>) =>
  (file: HouseFile) =>
    folders.some((folder) => file.path.startsWith(folder))
const hub = inside("src/", "actors/", "http/")
const tests = (file: HouseFile) => file.path.startsWith("test/") && !/^test\/(?:support|run)\//u.test(file.path)

interface Ban {
  readonly what: string
  readonly pattern: RegExp
  readonly instead: string
  readonly where: (file: HouseFile) => boolean
  readonly homes?: ReadonlyArray<string>
  /** Of a text, such as the name of a package; of code otherwise. */
  readonly of?: "text"
}

const bans: ReadonlyArray<Ban> = [
  {
    what: "the environment",
    pattern: /\bprocess\.env\b/gu,
    instead: "take a setting of src/config.ts",
    where: hub,
    homes: ["src/main.ts", "src/config.ts", "http/native/header-size.ts", "http/native/native-part.ts"]
  },
  {
    what: "the system clock",
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\()/gu,
    instead: "take Effect's Clock (clock.currentTimeMillisUnsafe() in synchronous code)",
    where: hub
  },
  {
    what: "a timer of its own",
    pattern: /(?<![.\w])set(?:Timeout|Interval)\b/gu,
    instead: "use src/runtime/timers.ts or Effect.sleep, which keep to Effect's Clock",
    where: hub
  },
  {
    what: "chance that cannot be chosen",
    pattern: /\bMath\.random\b/gu,
    instead: "use node:crypto, or take a function",
    where: (file) => hub(file) || tests(file)
  },
  {
    what: "the console",
    pattern: /(?<![.\w])console\b(?!:)/gu,
    instead: "use Effect.log…, or src/cli/print.ts on the command line",
    where: (file) => hub(file) || tests(file)
  },
  {
    what: "stdout and stderr",
    pattern: /\bprocess\.std(?:out|err)\b/gu,
    instead: "use src/cli/print.ts",
    where: hub,
    homes: ["src/cli/print.ts", "src/runtime/log.ts"]
  },
  {
    what: "a text as others wrote it on a terminal",
    pattern: /\bprocess\.std(?:out|err)\.write\((?!plain)/gu,
    instead: "let it go through src/runtime/escape.ts",
    where: inside("src/", "actors/", "http/", "daemon/", "publisher/", "bench/bench.ts", "bench/report/progress.ts"),
    homes: ["src/runtime/log.ts"]
  },
  {
    what: "code or markup that is made from a text",
    pattern:
      /(?<![.\w])eval\(|\bnew Function\b|\bdangerouslySetInnerHTML\b|\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\.write/gu,
    instead: "write the code, or let the page show the text as text",
    where: (file) => hub(file) || inside("console/src/", "client/src/", "daemon/", "integrator/", "publisher/")(file)
  },
  {
    what: "a run of characters that a pattern looks for at the end of a text",
    // it is tried from each place of each such run: the time grows with the square of what a stranger sends
    pattern: /(?<!\\)(?:\/|\|)(?:\[[^\]\n]*\]|\\.)[+*]\$\/[gimsuy]/gu,
    of: "text",
    instead: "walk from the end",
    where: hub,
    // of settings
    homes: [
      "src/config/kinds.ts",
      "src/auth/oauth/issuer.ts",
      "src/tracing/export-target.ts",
      "http/downloads/install-script.ts"
    ]
  },
  {
    what: "a statement to the database that is made from a text",
    pattern: /\.unsafe\(\s*(?:`[^`]*\$\{|"[^"]*"\s*\+)/gu,
    instead: "put values behind $1; names of tables and columns may come from a closed list of the source only",
    where: hub,
    homes: ["src/auth/secret-rotation.ts"]
  },
  {
    // V8 makes such a function in the old generation: it, and all of a request that it refers to, stays until the next
    // full collection. For each command that was a quarter of its CPU (`hub bench command`).
    what: "a function that is written where it is assigned to a member",
    pattern: /\.#?\w+ (?:\?\?)?=\s+(?:async )?(?:\([^()]*\)|\w+)(?:: [^=]+)? =>/gu,
    instead: "give it a name first, and assign that",
    where: inside("actors/", "http/")
  },
  {
    what: "another program",
    pattern: /\bnode:child_process\b/gu,
    instead: "run it in this process, or by src/workers/process.ts, which starts nothing but the hub itself",
    where: hub,
    homes: ["src/workers/process.ts"]
  },
  {
    what: "a hash that is too weak for a secret",
    pattern: /["'](?:md5|sha1|sha-1)["']/giu,
    instead: "take SHA-256",
    where: hub,
    homes: [
      "src/bus/lua-script.ts", // the name that Redis gives a script
      "src/outbound/turn-source.ts", // what TURN servers compute themselves
      "src/store/webhooks/delivery-history.ts", // an id
      "actors/daemon/report.ts" // whether a report changed
    ]
  },
  {
    what: "a sleep in a test",
    pattern: /(?<![.\w])setTimeout\b|(?<![.\w])setInterval\b|timers\/promises|\bscheduler\.wait\b/gu,
    instead: "wait with until() of test/support/until.ts, or use virtual time",
    where: tests
  },
  {
    what: "a mock of a module, which other files of the worker would get, or get past",
    pattern: /\bvi\.(?:mock|doMock|hoisted)\b/gu,
    instead: "give the code what it is to use",
    where: inside("test/")
  },
  {
    what: "fast-check without the seed of the run",
    pattern: /^import [^\n]* from "fast-check"/gmu,
    of: "text",
    instead: "import fc from test/support/properties.ts",
    where: inside("test/"),
    homes: ["test/support/properties.ts"]
  },
  {
    // what a slow machine may not deliver decides nothing
    what: "a measured time or size in a test",
    pattern: /\bperformance\.now\b|\bhrtime\b|\b(?:memory|cpu|resource)Usage\b|\bheapUsed\b|\bresidentBytes\b/gu,
    instead: "use virtual time, count what costs, or assert an order (docs/testing.md)",
    where: (file) => file.path.startsWith("test/") && file.path.endsWith(".test.ts"),
    homes: ["test/bench/fleet/light-fleet.test.ts"] // whose performance.now() is virtual
  },
  {
    what: "the clock in an assertion",
    pattern: /\bexpect\([^\n]*\bDate\.now\b/gu,
    instead: "use virtual time, or assert an order (docs/testing.md)",
    where: inside("test/")
  }
]

it.each(bans.map((ban) => [ban.what, ban] as const))("outside its one home nothing uses %s", (_, ban) => {
  const bound = houseFiles.filter((file) => ban.where(file) && !(ban.homes ?? []).includes(file.path))
  expect(bound.flatMap((file) => places(file, ban.pattern, ban.instead, ban.of))).toEqual([])
})
