/**
 * A shell line as the simple commands that it runs, wherever they stand in it. Owns the grammar as far as it tells one
 * command from the next; a form that is not read makes the line unclear, which no rule allows. Pure.
 */
import { shellCommandsMax, shellDepthMax, shellLineCharsMax } from "../../limits/policies.ts"
import { unknownPart } from "./glob.ts"
import { doubleQuoted, type Reading, readWord } from "./shell-word.ts"

/** One command with what it is told on its line. */
export interface SimpleCommand {
  /** Assignments before it included. */
  readonly words: ReadonlyArray<string>
  /** Files that it reads and writes by redirection. */
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  /** What here-documents and here-strings give it to read. */
  readonly input: ReadonlyArray<string>
}

export interface ShellLine {
  readonly commands: ReadonlyArray<SimpleCommand>
  /** Something in it is not read: it may run more than these. */
  readonly unclear: boolean
}

type Growing = { -readonly [K in keyof SimpleCommand]: Array<string> }

interface HereDocument {
  readonly end: string
  readonly tabs: boolean
  readonly literal: boolean
  readonly into: Growing
}

interface Collected {
  readonly commands: Array<SimpleCommand>
  unclear: boolean
}

/** Words after which a command begins. */
const leading: ReadonlySet<string> = new Set(["if", "then", "elif", "else", "while", "until", "do", "!", "coproc"])
/** Words that end what those began. */
const closing: ReadonlySet<string> = new Set(["fi", "done", "}"])
/** Words of forms that are not read. */
const unread: ReadonlySet<string> = new Set(["case", "esac", "function", "select", "[[", "]]"])

/** A variable of a loop that means nothing to the shell or to programs. */
const loopName = /^(?!\w*(?:path|proxy)$)[a-z_][a-z0-9_]*$/u

const empty = (): Growing => ({ words: [], reads: [], writes: [], input: [] })

/** One level of a line: up to its end, or to the `)` that closes it. */
class Level {
  readonly #reading: Reading
  readonly #to: Collected
  #command = empty()
  /** `for … in …`: names and values, which are no command. */
  #isHeader = false
  /** Behind a `&>`, which ends the command in some shells. */
  #isSplit = false
  /** Behind a `|`: in some shells it reads that too, beside what its redirections give it. */
  #isPiped = false
  readonly #hereDocuments: Array<HereDocument> = []

  constructor(reading: Reading, to: Collected) {
    this.#reading = reading
    this.#to = to
  }

  read(end: ")" | undefined): void {
    const reading = this.#reading
    while (reading.at < reading.text.length) {
      const char = reading.text[reading.at]!
      if (char === ")" && end === ")") {
        reading.at++
        if (this.#hereDocuments.length > 0) reading.unclear = true
        return this.#finish()
      }
      this.#step(char)
    }
    this.#finish()
    if (end !== undefined || this.#hereDocuments.length > 0) reading.unclear = true
  }

  #step(char: string): void {
    const reading = this.#reading
    if (char === " " || char === "\t") reading.at++
    else if (char === "\\" && reading.text[reading.at + 1] === "\n") reading.at += 2
    else if (char === "#") reading.at = this.#endOfLine()
    else if (char === "\n") {
      reading.at++
      this.#finish()
      this.#readHereDocuments()
    } else if (char === ";" || char === "|" || (char === "&" && reading.text[reading.at + 1] !== ">")) {
      const next = reading.text[reading.at + 1]
      reading.at += char === "|" && (next === "&" || next === "|") ? 2 : 1
      this.#finish()
      this.#isPiped = char === "|" && next !== "|"
    } else if (char === "(") {
      // behind a word it begins a function or an array
      if (this.#command.words.length > 0) reading.unclear = true
      reading.at++
      this.#finish()
      reading.nested(reading)
    } else if (char === ")") {
      reading.unclear = true
      reading.at++
      this.#finish()
    } else if (!this.#redirection()) this.#word()
  }

  #endOfLine(): number {
    const found = this.#reading.text.indexOf("\n", this.#reading.at)
    return found < 0 ? this.#reading.text.length : found
  }

  #word(): void {
    const word = readWord(this.#reading)
    if (word === undefined) {
      this.#reading.at++
      this.#reading.unclear = true
      return
    }
    // behind a function's name too
    if (word.text === "{" && !word.quoted) return this.#finish()
    const { words } = this.#command
    if (words.length === 0 && !word.quoted && !this.#isHeader) {
      if (leading.has(word.text) || closing.has(word.text)) return
      if (unread.has(word.text)) this.#reading.unclear = true
      if (word.text === "for") {
        this.#isHeader = true
        return
      }
    }
    // `for name do …` has no values
    if (this.#isHeader && words.length > 0 && word.text === "do" && !word.quoted) return this.#finish()
    if (this.#isSplit) this.#reading.unclear = true
    words.push(word.text)
  }

  /** Reads `2>file` and its like; false: here is none. */
  #redirection(): boolean {
    const reading = this.#reading
    const found = /^(\d{1,3}|\{\w+\})?(<<<|<<-?|&>>?|[<>]&|<>|>>|>\||<|>)(?!\()/u.exec(
      reading.text.slice(reading.at, reading.at + 80)
    )
    if (found === null) return false
    const [, number, sign] = found as unknown as [string, string | undefined, string]
    reading.at += found[0].length
    while (reading.text[reading.at] === " " || reading.text[reading.at] === "\t") reading.at++
    const from = reading.at
    const word = readWord(reading)
    if (word === undefined) {
      reading.unclear = true
      return true
    }
    // what a command reads in the end is not followed through numbered files; `{name}` sets a variable
    if (number !== undefined && (sign.includes("<") || /^[0{]/u.test(number))) reading.unclear = true
    if (sign === "<&") reading.unclear = true
    // some shells have `>!`
    if (reading.text[from] === "!") reading.unclear = true
    const command = this.#command
    if (sign.startsWith("&") && command.words.length > 0) this.#isSplit = true
    if (sign === "<<<") command.input.push(word.text)
    else if (sign.startsWith("<<")) {
      // shells differ in where such a one ends
      if (/[$`]/u.test(reading.text.slice(from, reading.at))) reading.unclear = true
      this.#hereDocuments.push({ end: word.text, tabs: sign === "<<-", literal: word.quoted, into: command })
    } else if (sign.endsWith("&") && /^\d*-?$/u.test(word.text)) return true
    else {
      if (sign.includes("<")) command.reads.push(word.text)
      if (sign.includes(">")) command.writes.push(word.text)
    }
    return true
  }

  #readHereDocuments(): void {
    const reading = this.#reading
    for (const { end, tabs, literal, into } of this.#hereDocuments.splice(0)) {
      const lines: Array<string> = []
      for (;;) {
        if (reading.at >= reading.text.length) {
          reading.unclear = true
          break
        }
        const last = this.#endOfLine()
        const line = reading.text.slice(reading.at, last)
        reading.at = last + 1
        // it is one with the next, and may be the end then
        if (!literal && line.endsWith("\\")) reading.unclear = true
        const compared = tabs ? line.replace(/^\t+/u, "") : line
        if (compared === end) break
        lines.push(compared)
      }
      const body = lines.join("\n")
      into.input.push(literal ? body : this.#expanded(body))
    }
  }

  #expanded(body: string): string {
    const inside: Reading = { ...this.#reading, text: body, at: 0, unclear: false }
    const text = doubleQuoted(inside, undefined)
    if (inside.unclear) this.#reading.unclear = true
    return text
  }

  #finish(): void {
    const command = this.#command
    this.#command = empty()
    // some names are those of variables by which commands are found
    if (this.#isHeader && !loopName.test(command.words[0] ?? "")) this.#reading.unclear = true
    if (this.#isHeader) command.words = []
    this.#isHeader = false
    this.#isSplit = false
    const { words, reads, writes, input } = command
    const waits = this.#hereDocuments.some(({ into }) => into === command)
    if (words.length === 0 && reads.length === 0 && writes.length === 0 && input.length === 0 && !waits) return
    if ((input.length > 0 || waits) && (reads.length > 0 || this.#isPiped)) input.push(unknownPart)
    this.#isPiped = false
    if (this.#to.commands.length >= shellCommandsMax) this.#to.unclear = true
    else this.#to.commands.push(command)
  }
}

/** Signs that are one behind a line end that counts for nothing. */
const splitSign = /\$\\\n|[<>]\\\n|&(?:\\\n)+[<>&(]/u

/** `((`: arithmetic, which has other quotes and no comments. */
const arithmetic = /^(?:\\\n)*\(/u

const readInto = (text: string, to: Collected, depth: number): void => {
  if (depth > shellDepthMax || text.length > shellLineCharsMax || text.includes(unknownPart)) {
    to.unclear = true
    return
  }
  if (splitSign.test(text)) to.unclear = true
  let levels = depth
  const reading: Reading = {
    text,
    at: 0,
    unclear: false,
    nested: (inside) => {
      if (arithmetic.test(inside.text.slice(inside.at))) inside.unclear = true
      if (++levels > shellDepthMax) {
        inside.unclear = true
        inside.at = inside.text.length
      } else new Level(inside, to).read(")")
      levels--
    },
    inner: (line) => readInto(line, to, depth + 1)
  }
  new Level(reading, to).read(undefined)
  if (reading.unclear) to.unclear = true
}

/** The commands of a line. */
export const readShellLine = (text: string): ShellLine => {
  const to: Collected = { commands: [], unclear: false }
  readInto(text, to, 0)
  return to
}
