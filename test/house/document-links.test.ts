/** The files, folders and headings that the documents name exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../support/root.ts"
import { houseFiles } from "./project-files.ts"

const documents = [
  "ARCHITECTURE.md",
  "client/README.md",
  "examples/README.md",
  "CHANGELOG.md",
  "README.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
const textOf = new Map(documents.map(({ path, text }) => [path, text]))

const files = houseFiles.map(({ path }) => `/${path}`)
const named = (text: string, name: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`\n]+)`/gu)].map((match) => match[1]!).filter((word) => name.test(word))

/** The name by which a link finds a heading. */
const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const headings = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gmu)].map((match) => slug(match[1]!)))

describe("the documents", () => {
  it("name only source files that exist", () => {
    const names = documents
      .filter(({ path }) => path !== "CHANGELOG.md")
      .flatMap(({ path, text }) => named(text, /^[\w-]+(?:\/[\w.-]+)*\.ts$/u).map((name) => ({ path, name })))
    expect(names.length).toBeGreaterThan(40)
    const missing = names.filter(({ name }) => !files.some((file) => file.endsWith(`/${name}`)))
    expect(missing).toEqual([])
  })

  it("say of thirty everyday things where they are, and it stands there", () => {
    const [, table = ""] = textOf.get("ARCHITECTURE.md")!.split("## Where is …")
    const rows = [...table.split("\n## ")[0]!.matchAll(/^\| [^|]+ \| `([^`]+)` \| (?:`([^`]+)`)? ?\|$/gmu)]
    expect(rows.length).toBeGreaterThanOrEqual(30)
    const wrong = rows.filter(([, path, word]) => {
      const found = houseFiles.find((file) => file.path === path)
      return found === undefined || !found.text.includes(word ?? "")
    })
    expect(wrong.map(([row]) => row)).toEqual([])
  })

  it("name only folders that exist, where they describe the tree", () => {
    const folders = named(textOf.get("ARCHITECTURE.md")!, /^[\w-]+(?:\/[\w-]+)*\/$/u)
    expect(folders.length).toBeGreaterThan(30)
    expect(folders.filter((name) => !files.some((file) => file.includes(`/${name}`)))).toEqual([])
  })

  it("link only to documents and headings that exist", () => {
    const broken = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/gu)]
        .map((match) => match[1]!)
        .filter((link) => !/^[a-z]+:/u.test(link))
        .filter((link) => {
          const [to = "", heading] = link.split("#")
          const target = to === "" ? path : normalize(join(dirname(path), to))
          if (!existsSync(join(root, target))) return true
          return heading !== undefined && !headings(textOf.get(target) ?? "").has(heading)
        })
        .map((link) => `${path}: ${link}`)
    )
    expect(broken).toEqual([])
  })
})
