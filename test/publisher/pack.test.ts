/** Packing: equal content gives equal bytes, whatever the disk says of it; what is no file is refused in words. */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { list } from "tar"
import { afterAll, describe, expect, it } from "vitest"
import { pack } from "../../publisher/pack.ts"
import { daemonTokens, invitationTokens, joinKeyTokens, pushTokens } from "../../src/auth/checksummed-token.ts"
import { makeKeyTokens } from "../../src/auth/oauth/key-tokens.ts"
import { accessTokens, authorizationCodes, clientSecrets, refreshTokens } from "../../src/auth/oauth/secrets.ts"
import { fc, forAllAsync } from "../support/properties.ts"

const root = mkdtempSync(join(tmpdir(), "hub-pack-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const description = { type: "one", version: "1.0.0" }

let folders = 0
const folder = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const path = join(root, String(++folders))
  for (const [name, content] of Object.entries({ "provider.json": JSON.stringify(description), ...files })) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  return path
}
const inside = async (artifact: Uint8Array) => {
  const found: Array<readonly [string, string, number]> = []
  const stream = list({ onReadEntry: (entry) => found.push([entry.path, entry.type, entry.mode ?? 0]) })
  await new Promise((resolve) => stream.on("end", resolve).end(Buffer.from(artifact)))
  return found
}

describe("a packed folder", () => {
  it("has the same bytes as another with the same content, whatever the order, times, modes and links on the disk", async () => {
    const name = fc.stringMatching(/^[a-z@._-][a-z0-9@._-]{0,8}$/u).filter((text) => !/^\.+$/u.test(text))
    const tree = fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 40 })), {
      maxLength: 6,
      selector: ([path]) => path
    })
    await forAllAsync(20, tree, async (files) => {
      const nested = files.map(([path, bytes], at): [string, Uint8Array] => [
        at % 2 === 0 ? path : `sub/${path}`,
        bytes
      ])
      const left = folder(Object.fromEntries(nested))
      const right = folder(Object.fromEntries([...nested].reverse()))
      for (const [path] of nested) {
        utimesSync(join(right, path), 1, 1)
        chmodSync(join(right, path), 0o600)
      }
      expect((await pack(left)).artifact).toEqual((await pack(right)).artifact)
    })
  })

  it("holds every file as a file, two names of one file among them, and one that begins with @", async () => {
    const path = folder({ a: "same", "@scope/b": "b" })
    linkSync(join(path, "a"), join(path, "c"))
    const { artifact, files } = await pack(path)
    expect(files).toHaveLength(4)
    expect(await inside(artifact)).toEqual([
      ["@scope/b", "File", 0o644],
      ["a", "File", 0o644],
      ["c", "File", 0o644],
      ["provider.json", "File", 0o644]
    ])
  })

  it("says of a file's mode only whether it may be executed", async () => {
    const path = folder({ run: "#!/bin/sh" })
    chmodSync(join(path, "run"), 0o700)
    expect(await inside((await pack(path)).artifact)).toContainEqual(["run", "File", 0o755])
  })

  it("leaves out what is no part of a package", async () => {
    const path = folder({ ".git/config": "", "node_modules/x/index.js": "", "lib/.DS_Store": "", "lib/a": "" })
    expect((await inside((await pack(path)).artifact)).map(([name]) => name)).toEqual(["lib/a", "provider.json"])
  })

  it.each([
    ["a name at any depth", "notes", ["lib/a", "provider.json"], { notes: "", "lib/notes": "", "lib/a": "" }],
    ["a folder", "out/", ["lib/out", "provider.json"], { "out/a": "", "lib/out": "" }],
    ["a path from here on", "/lib/a", ["lib/lib/a", "provider.json"], { "lib/a": "", "lib/lib/a": "" }],
    ["a pattern", "*.log\n**/tmp/**\nx?[0-9]", ["a", "provider.json"], { a: "", "b.log": "", "c/tmp/d": "", xy1: "" }],
    ["all but what is kept", "*.md\n!README.md", ["README.md", "provider.json"], { "README.md": "", "a.md": "" }],
    ["with comments and blanks", "# a\n\n a \\#b \nb", ["a", "provider.json"], { a: "", b: "" }],
    [
      "folders between, or none",
      "keys/**/*.txt",
      ["keys/a", "provider.json"],
      { "keys/a": "", "keys/a.txt": "", "keys/b/c/d.txt": "" }
    ],
    ["sets", "[^ab]x\n[]-]y\n[a\\]]z", ["ax", "provider.json"], { ax: "", cx: "", "]y": "", "-y": "", "]z": "" }],
    ["behind a byte order mark", "\uFEFFa-b\nc", ["provider.json"], { "a-b": "", c: "" }],
    ["never the description", "*", ["provider.json"], { a: "" }]
  ])("leaves out what .gitignore names: %s", async (_, rules, left, files) =>
    expect((await pack(folder({ ".gitignore": rules, ...files }))).files).toEqual(left)
  )

  it("keeps to .npmignore where there is one, and to the rules that lie deepest", async () => {
    const files = {
      ".npmignore": "a",
      ".gitignore": "b",
      "lib/.gitignore": "c\n!a",
      a: "",
      b: "",
      "lib/a": "",
      "lib/c": ""
    }
    expect((await pack(folder(files))).files).toEqual(["b", "lib/a", "provider.json"])
  })

  it("carries what provider.json says", async () => expect((await pack(folder({}))).description).toEqual(description))
})

describe("packing refuses", () => {
  const refusal = (path: string) => pack(path).then(String, (error: Error) => `${error.name}: ${error.message}`)

  it("a link and a pipe", async () => {
    const linked = folder({})
    symlinkSync("/etc/passwd", join(linked, "link"))
    expect(await refusal(linked)).toMatch(/^PackRefused: .*link is neither a file nor a folder/u)
    const piped = folder({})
    execFileSync("mkfifo", [join(piped, "pipe")])
    expect(await refusal(piped)).toMatch(/^PackRefused: .*pipe is neither/u)
    expect(await refusal(join(piped, "pipe"))).toMatch(/^PackRefused: .*pipe is neither/u)
  })

  it("a folder without provider.json, or where that is no JSON object", async () => {
    const bare = folder({})
    rmSync(join(bare, "provider.json"))
    expect(await refusal(bare)).toMatch(/^PackRefused: .*provider.json is missing or is not JSON/u)
    for (const text of ["{", "[]", "null", "7"])
      expect(await refusal(folder({ "provider.json": text }))).toMatch(/^PackRefused: .*provider.json/u)
  })

  it("what is larger than a hub takes, before it is sent", async () => {
    const path = folder({ large: Buffer.alloc(10_485_761) })
    expect(await refusal(join(path, "large"))).toMatch(/^PackRefused: .* makes more than 10485760 bytes/u)
    const noise = Array.from({ length: 11 }, (_, at) => [`noise-${at}`, randomBytes(1_000_000)])
    const many = folder(Object.fromEntries(noise))
    expect(await refusal(many)).toMatch(/^PackRefused: .* makes more than/u)
  })

  const credentials = [
    ...[authorizationCodes, accessTokens, refreshTokens, clientSecrets],
    ...[daemonTokens, joinKeyTokens, invitationTokens, pushTokens]
  ]
  const keyText = ["-----BEGIN OPENSSH ", "PRIVATE KEY-----"].join("")
  it.each([
    [".env", ""],
    [".env.production", ""],
    ["lib/.npmrc", ""],
    ["id_ed25519", ""],
    [".ssh/known_hosts", ""],
    ["tls/server.pem", ""],
    ["notes.txt", `see\n${keyText}\n`],
    ["config", "//registry.example/:_authToken=npm_1"],
    ["run.sh", `HUB_KEY=hub_${"a".repeat(43)}`],
    ["hook.ts", `const secret = "whsec_${randomBytes(32).toString("base64")}"`],
    ["service.json", makeKeyTokens(randomBytes(32)).issue({ keyHash: "", expiresAt: 0, scopes: [] })],
    ...credentials.map((kind, at) => [`${at}.txt`, kind.make()])
  ])("%s, which looks like a secret, unless it is named or ignored", async (name, content) => {
    expect(await refusal(folder({ [name]: content }))).toMatch(
      new RegExp(`^PackRefused: ${name} .*--allow-secret ${name}$`, "u")
    )
    expect((await pack(folder({ [name]: content }), new Set([name]))).files).toContain(name)
    expect((await pack(folder({ [name]: content, ".gitignore": name }))).files).toEqual(["provider.json"])
  })

  it("no example of one, and no word of it", async () => {
    const files = { ".env.example": "", "id_rsa.pub": "", "keys.md": `hub_… and _authToken=$TOKEN` }
    expect((await pack(folder(files))).files).toEqual([".env.example", "id_rsa.pub", "keys.md", "provider.json"])
  })

  it.each([
    ["a range", "[z-a]"],
    ["a class", "[[:alpha:]]"],
    ["its length", "a".repeat(1_025)]
  ])("an ignore file whose line it cannot read: %s", async (_, line) =>
    expect(await refusal(folder({ ".gitignore": `a\n${line}` }))).toContain(`the line "${line}" of an ignore file`)
  )

  it("what is not there, and an empty file", async () => {
    expect(await refusal(join(root, "nothing"))).toMatch(/^PackRefused: there is no file or folder/u)
    expect(await refusal(join(folder({ empty: "" }), "empty"))).toMatch(/^PackRefused: .* is empty/u)
  })
})
