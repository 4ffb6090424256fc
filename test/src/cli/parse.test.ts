/** What the command line understands, and the one sentence it says when it does not. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { adminCommands, ownCommands, passedCommands, shortAdminCommands } from "../../../src/cli/grammar.ts"
import { commandHelp, helpText, helpValue } from "../../../src/cli/help.ts"
import { parse } from "../../../src/cli/parse.ts"
import { workersMax } from "../../../src/limits/workers.ts"
import { fc, forAll } from "../../support/properties.ts"

const now = Date.UTC(2030, 0, 15)
const asked = (line: string, ...last: ReadonlyArray<string>) =>
  Result.getOrThrow(parse([...line.split(" "), ...last], now))
const refused = (...args: Array<string>): string => {
  const result = parse(args, now)
  if (Result.isSuccess(result)) throw new Error(`understood: ${args.join(" ")}`)
  return result.failure.sentence
}
const words = (line: string) => refused(...line.split(" "))

describe("the command line", () => {
  it("reads an account with its plan, password and administrator's rights", () => {
    expect(asked("account create --email a@b.c --password p --plan ultra --admin --json")).toEqual({
      kind: "admin",
      json: true,
      request: { op: "account create", email: "a@b.c", password: "p", plan: "ultra", admin: true }
    })
    expect(asked("account create --email a@b.c")).toMatchObject({
      json: false,
      request: { plan: "free", admin: false }
    })
  })

  it("reads the scopes of a key once each and its expiry as a date or a span", () => {
    const expiry = (text: string) => asked(`key create --account acc_1 --scopes ide:read --expires ${text}`)
    expect(asked("key create --account acc_1 --scopes ide:read,agent:read,ide:read")).toMatchObject({
      request: { op: "key create", account: "acc_1", name: "", scopes: ["ide:read", "agent:read"] }
    })
    expect(expiry("2030-02-28")).toMatchObject({ request: { expiresAt: Date.UTC(2030, 1, 28) } })
    expect(expiry("2030-02-28T12:00:00+01:00")).toMatchObject({ request: { expiresAt: Date.UTC(2030, 1, 28, 11) } })
    expect(expiry("90d")).toMatchObject({ request: { expiresAt: now + 90 * 86_400_000 } })
  })

  it("binds a key to a selector in the one way to write it, and takes no empty one for none", () => {
    const bound = (text: string) => asked("key create --account acc_1 --scopes ide:read --selector", text)
    expect(bound("env == prod, gpu")).toMatchObject({ request: { scopes: ["ide:read"], selector: "env=prod,gpu" } })
    expect(refused("key", "create", "--account", "a", "--scopes", "ide:read", "--selector", "")).toContain("--selector")
  })

  it("reads an OAuth client with each of its addresses, by three words", () => {
    const both = ["https://a.example/x", "http://localhost/y"]
    const line = `oauth client add --name A --redirect-uri ${both[0]} --redirect-uri ${both[1]} --secret`
    const wanted = { op: "oauth client add", name: "A", redirectUris: both, secret: true }
    expect(asked(line)).toMatchObject({ kind: "admin", request: wanted })
    expect(asked("oauth client remove ocl_1")).toMatchObject({
      request: { op: "oauth client remove", client: "ocl_1" }
    })
    expect(asked("oauth client list --help")).toMatchObject({ kind: "words", of: "oauth client list" })
    expect(refused("oauth", "client", "ad")).toContain("add, list, remove; did you mean add")
    expect(refused("oauth")).toContain("client add, client list, client remove")
  })

  it("reads a filter of daemons, with points in time that are over", () => {
    expect(
      asked(
        "daemon list --account a@b.c --version 1.3 --offline --seen-since 2h --close-reason timeout --close-code 4429"
      )
    ).toEqual({
      kind: "admin",
      json: false,
      request: {
        op: "daemon list",
        account: "a@b.c",
        version: "1.3",
        online: false,
        seenSince: now - 7_200_000,
        closeReason: "timeout",
        closeCode: 4_429
      }
    })
    expect(asked("daemon list --seen-before 2030-01-01 --online --identity-copied")).toMatchObject({
      request: { seenBefore: Date.UTC(2030, 0, 1), online: true, identityCopied: true }
    })
    expect(words("daemon list --online --offline")).toBe("name either --online or --offline")
    expect(words("daemon list --seen-since 2031-01-01")).toBe("--seen-since lies in the future: 2031-01-01")
    expect(words("daemon list --close-reason why")).toMatch(/^--close-reason: no such reason why; they are closed, /u)
    expect(asked("account admin a@b.c --admin off")).toMatchObject({ request: { account: "a@b.c", admin: false } })
    expect(words("account admin a@b.c --admin maybe")).toBe("--admin is on or off, not maybe")
  })

  it("tells the program that connects a machine from the commands beside it", () => {
    expect(asked("daemon --url http://hub --token t")).toEqual({
      kind: "passed",
      to: "daemon",
      args: ["--url", "http://hub", "--token", "t"]
    })
    expect(asked("daemon")).toMatchObject({ kind: "passed", to: "daemon", args: [] })
    expect(asked("daemon --help")).toMatchObject({ kind: "passed", to: "daemon" })
    expect(asked("daemon show dmn_1 --json")).toMatchObject({ kind: "admin", json: true, request: { daemon: "dmn_1" } })
    expect(asked("daemon list --help")).toMatchObject({ kind: "words", of: "daemon list" })
    expect(words("daemon lst")).toBe("hub daemon is followed by one of: list, show, disconnect; did you mean list")
  })

  it("reads how many workers are wanted, up to their bound", () => {
    expect(asked("start")).toEqual({ kind: "start", workers: 1 })
    expect(asked(`start --workers ${workersMax}`)).toEqual({ kind: "start", workers: workersMax })
    for (const wrong of ["0", "-1", "1.5", "two", String(workersMax + 1)]) {
      expect(refused("start", `--workers=${wrong}`)).toBe(
        `--workers must be a whole number from 1 to ${workersMax}: ${wrong}`
      )
    }
    expect(refused("start", "--workers", "-2")).toBe(`--workers must be a whole number from 1 to ${workersMax}: -2`)
    expect(asked("worker 3")).toEqual({ kind: "worker", number: 3 })
  })

  it("takes what a command is about as a bare word or as its flag", () => {
    const request = { op: "key revoke", key: "key_1" }
    expect(asked("key revoke key_1")).toMatchObject({ request })
    expect(asked("key revoke --key key_1")).toMatchObject({ request })
    expect(words("key revoke key_1 --key key_2")).toBe("--key is given twice")
  })

  it("has the removal of an account said twice: by its name, and by --yes", () => {
    const request = { op: "account delete", account: "a@b.c" }
    expect(asked("account delete a@b.c --yes")).toMatchObject({ request: { ...request, yes: true } })
    expect(asked("account delete a@b.c")).toMatchObject({ request: { ...request, yes: false } })
    expect(asked("token delete dmn_1 --json")).toEqual({
      kind: "admin",
      json: true,
      request: { op: "token delete", daemon: "dmn_1" }
    })
  })

  it("takes --json for its version and its help too", () => {
    expect(asked("version --json")).toEqual({ kind: "words", words: "version", json: true })
    expect(asked("help --json")).toEqual({ kind: "words", words: "help", json: true })
    expect(asked("help")).toEqual({ kind: "words", words: "help", json: false })
  })

  it.each(["key create --help", "key create --account a -h", "key --help", "start -h", "migrate --help"])(
    "shows one command or group of them on `%s`",
    (line) => {
      const of = line.split(" ").filter((word) => /^[a-z]{2,}$/u.test(word))
      expect(asked(line)).toEqual({ kind: "words", words: "help", json: false, of: of.join(" ").replace(/ a$/u, "") })
    }
  )

  it.each([
    ["acount create", "no such command: acount; did you mean account (hub help lists them)"],
    ["account make", "hub account is followed by one of: create, list, disable, enable, password, plan"],
    ["account", "hub account is followed by one of: create, list, disable, enable, password, plan"],
    ["toString x", "no such command: toString"],
    ["account create --emial a@b.c", "hub account create has no flag --emial; did you mean --email"],
    ["account create", "--email is needed"],
    ["account create --email nobody", "--email is not an e-mail address: it must be a name, one @ and a domain"],
    [
      "account create --email <b>@x.test",
      "--email is not an e-mail address: it holds a character before the @ that no address has there"
    ],
    [
      "account create --email a@b.c --plan gold",
      "--plan: no such plan gold; the plans are free, pro, ultra, enterprise"
    ],
    ["account create --email a@b.c --email d@e.f", "--email is given twice"],
    ["account create a@b.c", 'hub account create does not take "a@b.c"'],
    ["account create --email", "--email"],
    ["account lsit", "hub account is followed by one of: "],
    ["account lsit", "; did you mean list"],
    ["account create hub_secret", "hub account create takes no key or token as a word"],
    [
      "account create --email a@b.c --password -hunter2",
      "--password has no value; one that begins with a dash is written --password=-…"
    ],
    ["key create --account a --scopes ide:reed", "--scopes: no such scope ide:reed; the scopes are ide:read"],
    ["key create --account a --scopes ,", "--scopes is empty"],
    ["key create --account a", "--scopes is needed"],
    ["key create --account a --scopes ide:read --selector Env", "--selector: term 1 is none of: key=value"],
    ["key create --account a --scopes webhook:manage --selector env=prod", "--selector: a key with webhook:manage"],
    ["key create --account a --scopes ide:read --expires soon", "--expires is not a date: soon"],
    ["key create --account a --scopes ide:read --expires 2031-02-31", "--expires is not a date: 2031-02-31"],
    ["key create --account a --scopes ide:read --expires 2029-01-01", "--expires lies in the past"],
    ["start --port 80", "hub start has no flag --port"]
  ])("refuses `%s`", (line, sentence) => expect(words(line)).toContain(sentence))

  it("answers any arguments at all with an understanding or a sentence", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("account", "create", "key", "--email", "--json", "--", "-x", "token")
    )
    forAll(fc.array(word, { maxLength: 6 }), (args) => {
      const result = parse(args, now)
      return Result.isSuccess(result) || result.failure.sentence.length > 0
    })
  })

  it("has in the help of one command its flags, and no other command", () => {
    const help = commandHelp("key create")!
    for (const flag of Object.keys(adminCommands["key create"].flags)) expect(help).toContain(`--${flag}`)
    expect(help).toContain("usage: hub key create [flags]")
    expect(help).not.toContain("key list")
    expect(commandHelp("key")!.match(/^usage: hub key (create|list|revoke)/gmu)).toHaveLength(3)
    expect(commandHelp("kee")).toBeUndefined()
  })

  it("reads what of the audit log is asked, with a time before now", () => {
    const asked = parse(["audit", "--since", "2h", "--action", "key.created", "--json"], 10_000_000)
    const request = { op: "audit list", action: "key.created", since: 10_000_000 - 2 * 3_600_000 }
    expect(asked).toEqual(Result.succeed({ kind: "admin", request, json: true }))
    expect(Result.isFailure(parse(["audit", "--since", "yesterday"], 1))).toBe(true)
    expect(Result.isFailure(parse(["audit", "--outcome", "bad"], 1))).toBe(true)
  })

  it("has every command and flag in its help as a value", () => {
    const names = helpValue().commands.map(({ name }) => name)
    const all = [ownCommands, adminCommands, shortAdminCommands, passedCommands].flatMap((some) => Object.keys(some))
    expect(names).toEqual(all)
    expect(helpValue().commands.find(({ name }) => name === "token delete")).toMatchObject({
      flags: [{ name: "daemon", kind: "text", required: true }, { name: "json" }]
    })
  })

  it("has every command in its help, in groups on one screen, and each flag in the help of its command", () => {
    const help = helpText()
    const commands = Object.keys({ ...passedCommands, ...ownCommands, ...adminCommands, ...shortAdminCommands })
    for (const name of commands) expect(help).toMatch(new RegExp(`^  ${name.split(" ")[0]} `, "mu"))
    expect(help.match(/^[A-Z].*:$/gmu)).toHaveLength(5)
    const lines = help.split("\n")
    expect([lines.length <= 55, lines.every(({ length }) => length <= 120)]).toEqual([true, true])
    for (const [name, { flags }] of Object.entries(adminCommands))
      for (const flag of Object.keys(flags)) expect(commandHelp(name)).toContain(`--${flag}`)
  })
})
