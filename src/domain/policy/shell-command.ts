/**
 * What one simple command runs: itself, the command that it starts (`sudo`, `xargs`, `env`), or a line that it reads
 * (`sh -c`, `eval`). Owns those lists. Programs that start others in ways of their own are not seen through. Pure.
 */
import { shellDepthMax } from "../../limits/policies.ts"
import { assignment, startsOf } from "./command-wrapper.ts"
import { unknownPart } from "./glob.ts"
import type { SimpleCommand } from "./shell-line.ts"

/** Stands for a blank inside a word, where a pattern's own blank must not mean it. */
const innerBlank = "\u0001"
/** Words that may begin what a wrapper starts; of more the command is unclear. */
const startsMax = 64
/** The same of all wrappers that a command starts, one in the other: each `-exec` of `find` may start the rest. */
const startsAllMax = 256

const wrappers: ReadonlySet<string> = new Set(
  (
    "sudo doas su env command builtin exec nohup nice ionice time timeout stdbuf setsid setarch chroot unshare nsenter " +
    "xargs parallel find fd fdfind watch flock strace ltrace script caffeinate busybox toybox ssh runuser pkexec " +
    "systemd-run firejail proot taskset chrt dbus-run-session xvfb-run nix-shell entr"
  ).split(" ")
)
const shells: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash"])
const movers: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "chdir"])

const interpreter = /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|tclsh|osascript|rscript|pwsh|powershell)$/u

const isOption = (word: string): boolean => /^[-+]/u.test(word)

const baseName = (word: string): string => {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1)
  return name.replace(/\.(?:exe|cmd|bat)$/iu, "")
}

/** A command as it is compared with rules. */
export interface Invocation {
  /** By which a rule allows it. */
  readonly text: string
  /** By which a rule denies or asks, too: without what stands before its name. */
  readonly names: ReadonlyArray<string>
  /** What it starts, and must be allowed as well. */
  readonly starts: ReadonlyArray<Invocation>
  /** What it may start: words of a wrapper, each of which may be the name. */
  readonly perhapsStarts: ReadonlyArray<Invocation>
  /** Lines that it reads. A command of which `isOnlyLines` is allowed when these are. */
  readonly lines: ReadonlyArray<string>
  readonly isOnlyLines: boolean
  /** It runs what cannot be seen here. */
  readonly unclear: boolean
  /** The folder of what follows is another. */
  readonly moves: boolean
}

const strict = (words: ReadonlyArray<string>): string =>
  words.map((word) => word.replaceAll(/\s/gu, innerBlank)).join(" ")

/** The lines that a shell reads; undefined: it reads a file, which is a word like any other. */
const shellLines = (words: ReadonlyArray<string>, input: ReadonlyArray<string>) => {
  let at = 1
  let isLine = false
  let isInput = false
  // fish reads the lines of several options, and in a grammar of its own
  let isOther = baseName(words[0]!).toLowerCase() === "fish"
  for (; at < words.length && isOption(words[at]!); at++) {
    const word = words[at]!
    if (word === "-" || word === "--") {
      at++
      break
    }
    if (word.startsWith("--")) {
      if (!/^--(?:login|norc|noprofile|posix|noediting|verbose)$/u.test(word)) isOther = true
      continue
    }
    if (word.includes(unknownPart) || /^\+.*c|O|o./u.test(word)) isOther = true
    if (word.includes("c")) isLine = true
    if (word.includes("s")) isInput = true
    if (/[oO]$/u.test(word)) at++
  }
  const operand = words[at]
  if (isLine) return operand === undefined ? { lines: [], unclear: true } : { lines: [operand], unclear: isOther }
  const readsInput =
    isInput || operand === undefined || operand.includes(unknownPart) || /^\/(?:dev|proc)\//u.test(operand)
  if (!readsInput) return undefined
  return { lines: input, unclear: isOther || input.length === 0 || (operand !== undefined && !isInput) }
}

const readLines = (words: ReadonlyArray<string>, input: ReadonlyArray<string>) => {
  const name = baseName(words[0] ?? "").toLowerCase()
  if (shells.has(name)) return shellLines(words, input)
  if (name === "eval") return { lines: [words.slice(1).join(" ")], unclear: false }
  if (name === "trap") return words.length < 3 ? undefined : { lines: [words[1]!], unclear: false }
  return undefined
}

const behindBracket = (word: string): string => word.slice(word.indexOf("["))

/** Whether it names a variable, or an index in which some shells run what stands there. */
const namesVariable = ([name = "", first = "", ...rest]: ReadonlyArray<string>): boolean => {
  const words = [first, ...rest]
  if (name === "printf" && (first.startsWith("-v") || first.startsWith(unknownPart))) return true
  const isTest = name === "test" || name === "["
  if (isTest && words.some((word) => word === "-v" || word.includes(unknownPart))) return true
  return (isTest || name === "printf") && words.some((word) => word.includes("[") && /[$`]/u.test(behindBracket(word)))
}

/** Whether it is an interpreter whose program comes by its input, and is not seen here. */
const readsProgram = (words: ReadonlyArray<string>, input: ReadonlyArray<string>): boolean => {
  if (!interpreter.test(baseName(words[0] ?? "").toLowerCase())) return false
  const rest = words.slice(1)
  // of one letter, those but that give a program, or say something and end
  const onlyFlags = rest.every((word) => /^-(?![cemprvVh])\w$/u.test(word))
  return input.length > 0 || onlyFlags || rest.some((word) => word === "-" || /^\/(?:dev|proc)\//u.test(word))
}

const namesOf = (words: ReadonlyArray<string>, at: number): ReadonlyArray<string> => {
  const bare = words.slice(at)
  const names = [words.join(" "), bare.join(" ")]
  if (bare.length > 0) names.push([baseName(bare[0]!), ...bare.slice(1)].join(" "))
  return [...new Set(names)]
}

const bare = (words: ReadonlyArray<string>, input: ReadonlyArray<string>): Invocation => {
  const read = readLines(words, input)
  return {
    text: strict(words),
    names: namesOf(words, 0),
    starts: [],
    perhapsStarts: [],
    lines: read?.lines ?? [],
    isOnlyLines: read !== undefined && (!words[0]!.includes("/") || /^\/(?:usr\/)?bin\/[^/]+$/u.test(words[0]!)),
    unclear: read?.unclear ?? (namesVariable(words) || readsProgram(words, input)),
    moves: movers.has(words[0] ?? "")
  }
}

/** What a command runs. Wrappers of wrappers are followed up to a depth, and as far as there is `room`. */
export const invocation = (
  { words, input }: Pick<SimpleCommand, "words" | "input">,
  depth = 0,
  room = { left: startsAllMax }
): Invocation => {
  let at = 0
  while (at < words.length && assignment.test(words[at]!)) at++
  const rest = words.slice(at)
  const plain = bare(rest, input)
  const named = { ...plain, text: strict(words), names: namesOf(words, at), isOnlyLines: plain.isOnlyLines && at === 0 }
  const isWrapper = rest.length > 0 && wrappers.has(baseName(rest[0]!).toLowerCase())
  if (!isWrapper) return named
  if (depth >= shellDepthMax) return { ...named, unclear: true }
  const wrapper = baseName(rest[0]!).toLowerCase()
  // what they start gets words that they read
  const more = wrapper === "xargs" || wrapper === "parallel" ? [unknownPart] : []
  const { at: starts, isSure } = startsOf(wrapper, rest)
  const splits = wrapper === "env" && rest.some((word) => /^-[^-]*S|^--s/u.test(word))
  const perhaps = Math.min(startsMax, rest.length - 1, Math.max(0, room.left))
  room.left -= perhaps
  const perhapsStarts = rest.slice(1, 1 + perhaps).map((_, index) => bare([...rest.slice(index + 1), ...more], input))
  const started = starts.flatMap((from) =>
    room.left-- > 0 ? invocation({ words: [...rest.slice(from), ...more], input }, depth + 1, room) : []
  )
  const areAll = rest.length - 1 === perhaps && started.length === starts.length
  return { ...named, starts: started, perhapsStarts, unclear: !areAll || splits || !isSure }
}
