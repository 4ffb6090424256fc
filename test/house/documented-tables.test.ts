/** What the documents say of settings, commands, metrics and attacks is what the code has. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { attackNames } from "../../bench/siege/all.ts"
import { AccessOf } from "../../http/api/access.ts"
import { Api } from "../../http/api/api.ts"
import { adminCommands, ownCommands, passedCommands } from "../../src/cli/grammar.ts"
import { settings } from "../../src/config.ts"
import { isAtLeast, roles } from "../../src/domain/account/roles.ts"
import { failureTags } from "../../src/errors.ts"
import { histograms } from "../../src/runtime/histograms.ts"
import { counters, gauges } from "../../src/runtime/metrics.ts"
import { root } from "../support/root.ts"
import { houseFiles } from "./project-files.ts"

const readme = readFileSync(join(root, "README.md"), "utf8")

it("the README has a row for every setting, word for word as in src/config/table.ts", () => {
  const rows = readme.split("\n").filter((line) => /^\| `(?:HUB_|OTEL_|DATABASE_URL|REDIS_URL)/u.test(line))
  const wanted = Object.values(settings).map((row) => {
    const standard = row.standard === undefined || row.standard === "" ? "none" : `\`${row.standard}\``
    return `| \`${row.env}\` | ${row.kind.name} | ${standard} | ${row.reason} |`
  })
  expect(rows).toEqual(wanted)
})

it("the README names every command", () => {
  const named = Object.keys({ ...adminCommands, ...ownCommands, ...passedCommands }).filter((name) => name !== "help")
  expect(named.filter((name) => !readme.includes(`hub ${name}`))).toEqual([])
})

it("docs/bench.md names every attack of the siege", () => {
  const text = readFileSync(join(root, "docs/bench.md"), "utf8")
  expect(attackNames.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
})

it("docs/people.md has a row for every endpoint that reads a credential, with the roles that may call it", () => {
  const rows: Array<string> = []
  const undeclared: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations, errors }) => {
      const { role, kind } = Context.get(mergedAnnotations as Context.Context<AccessOf>, AccessOf)
      const id = `${group.identifier}.${endpoint.identifier}`
      if (role === undefined) return void (kind === "public" || kind === "joinKey" || undeclared.push(id))
      const cells = roles.map((one) => (isAtLeast(one, role) ? "✓" : " "))
      rows.push(`| \`${endpoint.method} ${endpoint.path.replace(/:(\w+)/gu, "{$1}")}\` | ${cells.join(" | ")} |`)
      const refusals = [...(errors.get(403) ?? [])].map((schema) => JSON.stringify(schema.ast.annotations))
      if (role !== "viewer" && !refusals.some((one) => one.includes("RoleTooLow"))) undeclared.push(id)
    }
  })
  const text = readFileSync(join(root, "docs/people.md"), "utf8")
  expect(text.split("\n").filter((line) => /^\| `[A-Z]+ \//u.test(line))).toEqual(rows)
  expect(undeclared).toEqual([])
})

describe("docs/metrics.md", () => {
  const text = readFileSync(join(root, "docs/metrics.md"), "utf8")

  it("has a row for every counter and gauge, word for word as in src/runtime/metrics.ts", () => {
    const all: Readonly<Record<string, { readonly help: string; readonly label?: { readonly name: string } }>> = {
      ...counters,
      ...gauges
    }
    const wanted = Object.entries(all).map(
      ([name, { help, label }]) => `| \`${name}\` | ${label === undefined ? "" : `\`${label.name}\` `}| ${help} |`
    )
    expect(text.split("\n").filter((line) => wanted.includes(line))).toEqual(wanted)
  })

  it("names every histogram", () =>
    expect(Object.keys(histograms).filter((name) => !text.includes(`\`${name}\``))).toEqual([]))
})

it("docs/changing.md is right that what is said of an endpoint stands in the contract: no file of the hub lists endpoints, or failures", () => {
  const ids: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => void ids.push(`"${group.identifier}.${endpoint.identifier}"`)
  })
  const tags = failureTags.map((tag) => `"${tag}"`)
  const hub = houseFiles.filter(({ path }) => /^(?:src|actors|http)\/(?!api\/)/u.test(path) && path !== "src/errors.ts")
  const lists =
    (names: ReadonlyArray<string>) =>
    ({ text }: { readonly text: string }) =>
      names.filter((name) => text.includes(name)).length > 5
  expect(hub.filter(lists(ids)).map(({ path }) => path)).toEqual([])
  expect(hub.filter(lists(tags)).map(({ path }) => path)).toEqual([])
})
