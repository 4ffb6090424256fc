/**
 * Agent programs of a few lines that fail in one way each. Owns the scripts: shell for what speaks no protocol, Node
 * for what speaks just enough of it; asserts nothing.
 */
import type { Provider } from "../../daemon/providers.ts"

const provider = (command: string, args: ReadonlyArray<string>): Provider => ({
  type: "scripted",
  category: "acp",
  command,
  args,
  displayName: "Scripted agent",
  from: "/"
})

/** A program by its name or path. */
export const program = (command: string, ...args: ReadonlyArray<string>): Provider => provider(command, args)

/** A program of the shell. */
export const shellAgent = (script: string): Provider => provider("/bin/sh", ["-c", script])

const speaking = `
  setInterval(() => undefined, 60_000)
  const answers = JSON.parse(process.argv[1])
  let rest = ""
  process.stdin.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\\n")
    rest = lines.pop()
    for (const { id, method } of lines.map((line) => JSON.parse(line))) {
      const { says, thenExit, thenDeaf, thenMute } = answers[method] ?? {}
      if (thenDeaf) require("node:fs").closeSync(0)
      const then = () => {
        if (thenMute) require("node:fs").closeSync(1)
        if (thenExit !== undefined) process.exit(thenExit)
      }
      if (says === undefined) then()
      else process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...says }) + "\\n", then)
    }
  })`

/**
 * What a scripted agent does about one method: the members of its answer, the code it then ends with, whether it reads
 * and writes on.
 */
export interface Scripted {
  readonly says?: Readonly<Record<string, unknown>>
  readonly thenExit?: number
  readonly thenDeaf?: boolean
  readonly thenMute?: boolean
}

/** A program that answers methods as told, and the others never. */
export const speakingAgent = (answers: Readonly<Record<string, Scripted>>): Provider =>
  provider(process.execPath, ["-e", speaking, JSON.stringify(answers)])
