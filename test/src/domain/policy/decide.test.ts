/** What rules say: severity, shell lines, files, and what an agent does not say. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { decide, type Subject } from "../../../../src/domain/policy/decide.ts"
import { effects, type Rule } from "../../../../src/domain/policy/rule.ts"
import { type Invocation, invocation } from "../../../../src/domain/policy/shell-command.ts"
import { subjectsOf } from "../../../../src/domain/policy/tool-call.ts"
import { judgeStepsMax, shellCommandsMax, shellLineCharsMax, subjectsMax } from "../../../../src/limits/policies.ts"
import { fc, forAll } from "../../../support/properties.ts"

const allowed = (action: string, ...resources: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  resources.map((resource) => ({ action, resource, effect: "allow" }))

const rules: ReadonlyArray<Rule> = [
  ...allowed("read", "*"),
  ...allowed("search", "*"),
  ...allowed("edit", "src/*"),
  ...allowed("execute", "npm test*", "git status*", "git diff*", "ls *", "grep *", "cat *", "echo *", "cd *", "find *"),
  ...allowed("execute", "xargs grep *", "ruby *"),
  { action: "execute", resource: "git push*", effect: "deny" },
  { action: "execute", resource: "rm *", effect: "deny" },
  { action: "read", resource: "*.env", effect: "deny" },
  { action: "execute", resource: "curl *", effect: "ask" }
]
const where = { cwd: "/home/app", provider: "codex" }
const run = (resource: string): Subject => ({ action: "execute", resource })
const effectOf = (line: string, of: ReadonlyArray<Rule> = rules) => decide(of, "ask", [run(line)], where).effect

/** Verdict, a tab, and the line, in which ⏎ is the end of a line. */
const corpus = readFileSync(new URL("shell-lines.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((entry) => [entry.slice(0, entry.indexOf("\t")), entry.slice(entry.indexOf("\t") + 1)] as const)

describe("a shell line", () => {
  it("has the verdict of the table, on each of its lines", () => {
    expect(corpus.length).toBeGreaterThanOrEqual(200)
    expect(corpus.map(([, line]) => `${effectOf(line.replaceAll("⏎", "\n"))}\t${line}`)).toEqual(
      corpus.map((entry) => entry.join("\t"))
    )
  })

  const piece = fc.constantFrom(
    "git",
    "push",
    "status",
    "'",
    '"',
    "\\",
    "$(",
    ")",
    "`",
    "${",
    "}",
    " ",
    "\n",
    ";",
    "<<E",
    "|",
    "&"
  )

  it("never is allowed for what stands beside a denied command, and never breaks the reader", () =>
    forAll(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const line = pieces.join("")
      expect(effects).toContain(effectOf(line))
      for (const joined of [`git push\n${line}`, `git push; ${line}`, `(git push)\n${line}`])
        expect(effectOf(joined)).toBe("deny")
    }))

  it.each([
    ["allow", "xargs -0 -n 1 grep x"],
    ["ask", "xargs -I grep reboot"],
    ["ask", "xargs -0I grep reboot"],
    ["ask", "echo . -exec reboot {} + | xargs find"],
    ["allow", "env -i A=b ls"],
    ["ask", "env -u ls reboot"],
    ["ask", "flock ls reboot"],
    ["ask", "fd . -x reboot"],
    ["allow", "test -f x"],
    ["ask", "test -v 'a[$(reboot)]'"],
    ["ask", "printf -v PATH src"]
  ])("%s: what an allowed wrapper starts is not taken from the value of its option: %s", (effect, line) => {
    const wrappers = allowed("execute", "xargs *", "env *", "flock *", "fd *", "test *", "printf *")
    expect(effectOf(line, [...rules, ...wrappers])).toBe(effect)
  })

  it.each([
    ["ask", ["gi[t] push", "git [p]ush", "git pus[g-i]", "r[!a] x", "r[[:alpha:]] x", "g?t push", 'r[a"m"] x']],
    [
      "ask",
      ["{git,push}", "git pu{sh,ll}", "git pu{s..u}h", "r{m,} x", "r{m,{a,b}} x", "git pu{s$x,t}h", "git {}push"]
    ],
    ["allow", ["r{m} x", "git pus{h}", "git [p", "echo a]", "echo [ab] {a,b}", "find . -exec echo {} \\;"]]
  ] as const)(
    "%s: a pattern that may become a denied command is allowed by no rule, any other as it is: %j",
    (effect, lines) => {
      const guarded = [...rules.filter((one) => one.effect === "deny"), ...allowed("execute", "*")]
      expect(lines.map((line) => [effectOf(line, guarded), line])).toEqual(lines.map((line) => [effect, line]))
    }
  )

  it("that is too long, or runs too much, is allowed by no rule", () => {
    const all: ReadonlyArray<Rule> = [
      ...allowed("*", "*"),
      { action: "execute", resource: "git push*", effect: "deny" }
    ]
    expect(effectOf("ls", all)).toBe("allow")
    expect(effectOf(`ls ${"a".repeat(shellLineCharsMax)}`, all)).toBe("ask")
    expect(effectOf("ls;".repeat(shellCommandsMax + 1), all)).toBe("ask")
    const long = `ls ${"a".repeat(4_000)}`
    const wide = `*${"a".repeat(100)}`
    const many = Math.ceil(judgeStepsMax / (wide.length * long.length))
    const never = (count: number) =>
      Array<Rule>(count).fill({ action: "execute", resource: `${wide}b`, effect: "deny" })
    expect(effectOf(long, [...all, ...never(2)])).toBe("allow")
    expect(effectOf(long, [...all, ...never(many)])).toBe("ask")
    expect(effectOf(`${"sudo ".repeat(60)}${"a$x".repeat(1_000)}`, [...all, ...never(many)])).toBe("ask")
    expect(effectOf(`${"$(".repeat(20)}ls${")".repeat(20)}`, all)).toBe("ask")
  })

  it("is allowed by no rule where its folder takes too long: to compare, or to find each word below it", () => {
    const at = (line: string, cwd: string, pattern: string) => {
      const here = Array<Rule>(200).fill({ action: "execute", resource: "rm *", effect: "deny", cwd: pattern })
      return decide([...allowed("*", "*"), ...here], "ask", [run(line)], { cwd }).effect
    }
    const deep = `/${"a".repeat(4_000)}`
    expect(at("ls", deep, "/b*")).toBe("allow")
    expect(at("ls", deep, `*${"a".repeat(100)}b`)).toBe("ask")
    expect(at(`ls ${"a ".repeat(500)}`, "/home", "/b*")).toBe("allow")
    expect(at(`ls ${"a ".repeat(500)}`, deep, "/b*")).toBe("ask")
  })

  it("of wrappers in wrappers is followed as far as all that it may start is little", () => {
    const countOf = ({ starts, perhapsStarts }: Invocation): number =>
      [...starts, ...perhapsStarts].reduce((sum, one) => sum + countOf(one), 1)
    const nested = (depth: number) =>
      invocation({ words: ["find", ...Array(depth).fill(["-exec", "find"])].flat(), input: [] })
    expect(nested(3).unclear).toBe(false)
    expect(nested(20).starts.some(({ unclear }) => unclear)).toBe(true)
    expect(countOf(nested(20))).toBeLessThan(400)
  })

  it("with more marks behind a letter than are put in order may be any", () => {
    const guarded = [...allowed("execute", "*"), { action: "execute", resource: "cat *.env", effect: "deny" } as const]
    const marked = (count: number) => `cat a${"\u0315\u0300".repeat(count)}`
    expect(effectOf(marked(15), guarded)).toBe("allow")
    expect(effectOf(marked(16), guarded)).toBe("ask")
  })
})

const rule = fc.record({
  action: fc.constantFrom("execute", "read", "edit", "*"),
  resource: fc.constantFrom("*", "git *", "git push*", "git status", "src/*", "*.env"),
  effect: fc.constantFrom(...effects)
})
const subject: fc.Arbitrary<Subject> = fc.constantFrom(
  run("git push"),
  run("git status && cat a.env"),
  run("git -C x push"),
  { action: "read", resource: "a.env" },
  { action: "edit", resource: "src/a" },
  { action: "edit", resource: undefined }
)

describe("severity", () => {
  it("counts, and never the order of rules or subjects", () => {
    const shuffled = fc
      .array(rule, { maxLength: 8 })
      .chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })))
    forAll(shuffled, fc.array(subject, { maxLength: 3 }), fc.constantFrom("ask", "deny"), ([one, other], all, or) => {
      const verdict = decide(one, or, all, where).effect
      expect(decide(other, or, [...all].reverse(), where).effect).toBe(verdict)
      // one rule more never makes what was denied less
      const denies: Rule = { action: "*", resource: "*", effect: "deny" }
      if (all.length > 0) expect(decide([...one, denies], or, all, where).effect).toBe("deny")
    })
  })

  it("is not taken for what it is in another folder, or below one that is not known", () => {
    const guarded: ReadonlyArray<Rule> = [
      ...allowed("*", "*"),
      { action: "edit", resource: ".git/*", effect: "deny" },
      { action: "read", resource: "/home/app/.ssh/*", effect: "deny" },
      { action: "read", resource: "/mnt/secret/*", effect: "deny" }
    ]
    expect(effectOf("echo a > .git/config", guarded)).toBe("deny")
    expect(effectOf("cd .git && echo a > config", guarded)).toBe("ask")
    expect(effectOf("for x in .git; do echo a > $x/config; done", guarded)).toBe("ask")
    expect(effectOf("cat < ~/.ssh/id", guarded)).toBe("ask")
    expect(effectOf("cat < /mnt/\u017fecret/a", guarded)).toBe("deny")
  })

  it("names the rule that decides, and none where the default does", () => {
    expect(decide(rules, "ask", [run("ls; rm x")], where).rule?.resource).toBe("rm *")
    expect(decide(rules, "deny", [run("make")], where)).toEqual({ effect: "deny", rule: undefined })
    expect(decide(rules, "ask", [], where)).toEqual({ effect: "ask", rule: undefined })
    expect(decide(rules, "ask", Array<Subject>(subjectsMax + 1).fill(run("ls")), where).effect).toBe("ask")
  })
})

describe("a tool call", () => {
  const of = (call: Parameters<typeof subjectsOf>[0]) => decide(rules, "ask", subjectsOf(call), where).effect
  it.each([
    ["allow", { kind: "read", locations: [{ path: "/etc/hosts" }] }],
    ["allow", { kind: "edit", rawInput: { file_path: "/home/app/src/a.ts" } }],
    ["allow", { kind: "edit", rawInput: { file_path: "src/b/../a.ts" } }],
    ["ask", { kind: "edit", rawInput: { file_path: "src/../../a.ts" } }],
    ["ask", { kind: "edit", title: "src/a.ts" }],
    ["deny", { kind: "read", locations: [{ path: "a" }, { path: "/x/.env" }] }],
    ["deny", { kind: "search", rawInput: { command: "git push" } }],
    ["deny", { kind: "read", locations: [{ path: "a" }], rawInput: { command: ["bash", "-lc", "ls && git push"] } }],
    ["allow", { kind: "execute", rawInput: { command: ["bash", "-lc", "ls && git status"] } }],
    ["ask", { kind: "execute", rawInput: { command: ["ls && git status"] } }],
    ["ask", { kind: "read", locations: [{ path: "a" }], content: [{ type: "diff", path: "/etc/passwd" }] }],
    ["deny", { kind: "execute", rawInput: { command: "git", args: ["push"] } }],
    ["allow", { kind: "execute", rawInput: { command: "echo a > src/b", workdir: "/home/app/" } }],
    ["ask", { kind: "execute", rawInput: { command: "echo a > src/b", workdir: "/etc" } }],
    ["deny", { kind: "execute", title: "git push" }],
    ["ask", { kind: "execute", title: "ls" }],
    ["ask", { kind: "invented", title: "read" }],
    ["ask", {}]
  ] as const)("is answered %s: %j", (effect, call) => {
    expect(of(call)).toBe(effect)
  })

  it("is judged by the rules of its agent and its folder only", () => {
    const bound: ReadonlyArray<Rule> = [
      { action: "execute", resource: "make *", effect: "allow", provider: "codex", cwd: "/home/*" },
      { action: "execute", resource: "make evil", effect: "deny", cwd: "/home/app" }
    ]
    const said = (line: string, provider: string | undefined, cwd: string | undefined) =>
      decide(bound, "ask", [run(line)], { provider, cwd }).effect
    expect(said("make x", "codex", "/home/app")).toBe("allow")
    expect(said("make x", "codex", "/home/../etc")).toBe("ask")
    expect(said("cd / && make x", "codex", "/home/app")).toBe("ask")
    expect(said("make x", "gemini", "/home/app")).toBe("ask")
    expect(said("make x", "codex", undefined)).toBe("ask")
    expect(said("make evil", undefined, undefined)).toBe("deny")
  })
})
