/**
 * Where the command begins that a wrapper (`sudo`, `env`, `xargs`, `find -exec`) starts. Owns which of their options
 * take a value; behind one that is not known here, what looks like the command may be the value. Pure.
 */
import { unknownPart } from "./glob.ts"

/** Letters of options without a value, and of those with one, as all of their versions read them. */
const options: ReadonlyMap<string, readonly [bare: string, valued: string]> = new Map([
  ["sudo", ["nEHSkbAiBPs", "ugpCDRT"]],
  ["doas", ["n", "u"]],
  ["env", ["i0v", "uC"]],
  ["command", ["pvV", ""]],
  ["builtin", ["", ""]],
  ["exec", ["cl", "a"]],
  ["nohup", ["", ""]],
  ["nice", ["", "n"]],
  ["ionice", ["t", "cn"]],
  ["time", ["p", ""]],
  ["timeout", ["v", "ks"]],
  ["stdbuf", ["", "ioe"]],
  ["setsid", ["cfw", ""]],
  ["xargs", ["0rtpx", "nPLsIEd"]],
  ["caffeinate", ["dimsu", "tw"]],
  ["watch", ["dgtebcx", "n"]],
  ["busybox", ["", ""]],
  ["toybox", ["", ""]]
])
const longBare = /^--(?:null|no-run-if-empty|verbose|ignore-environment|foreground|preserve-status|wait|fork)$/u
const longValued = /^--[a-z-]+=/u
const starters: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"])

/** Assignments before a command. */
export const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/u

/** The places of first words. `isSure`: it starts nothing else; if not, any word may be one. */
export interface Starts {
  readonly at: ReadonlyArray<number>
  readonly isSure: boolean
}

const anywhere: Starts = { at: [], isSure: false }

const ofFind = (words: ReadonlyArray<string>, isFd: boolean): Starts => ({
  at: words.flatMap((word, at) => (starters.has(word) ? [at + 1] : [])),
  isSure: !words.some((word) => word.includes(unknownPart) || (isFd && /^-[^-]*[xX]|^--e/u.test(word)))
})

/** How many words an option is; undefined: not known. */
const optionWords = (word: string, bare: string, valued: string): 1 | 2 | undefined => {
  if (word.includes(unknownPart)) return undefined
  if (word.startsWith("--")) return longBare.test(word) || longValued.test(word) ? 1 : undefined
  for (let at = 1; at < word.length; at++) {
    if (valued.includes(word[at]!)) return at === word.length - 1 ? 2 : 1
    if (!bare.includes(word[at]!)) return undefined
  }
  return 1
}

/** Where what a wrapper of this name starts begins. */
export const startsOf = (name: string, words: ReadonlyArray<string>): Starts => {
  if (name === "find" || name === "fd" || name === "fdfind") return ofFind(words, name !== "find")
  const known = options.get(name)
  if (known === undefined) return anywhere
  let at = 1
  while (at < words.length) {
    const word = words[at]!
    if (word === "--" || (word === "-" && name === "env")) {
      at++
      break
    }
    const isNiceness = name === "nice" && /^-\d+$/u.test(word)
    if (!word.startsWith("-") || word === "-") break
    const taken = isNiceness ? 1 : optionWords(word, ...known)
    if (taken === undefined) return anywhere
    at += taken
  }
  if (name === "timeout" && /^\d+(?:\.\d+)?[smhd]?$/u.test(words[at] ?? "")) at++
  if (name === "env" || name === "sudo") while (at < words.length && assignment.test(words[at]!)) at++
  return { at: at < words.length ? [at] : [], isSure: true }
}
