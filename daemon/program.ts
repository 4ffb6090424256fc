#!/usr/bin/env node
/**
 * `hub-daemon`: the daemon as a program of its own, which daemon/build.ts makes one file of. Owns which word does what.
 */
import { plainLines } from "../src/runtime/escape.ts"
import { installCommand, installUsage } from "./install/command.ts"
import { finalExit, updateExit } from "./limits.ts"
import { daemon } from "./main.ts"
import { version } from "./version.ts"

const [word = "--help", ...args] = process.argv.slice(2)

const main = async (): Promise<number> => {
  if (word === "--version") {
    process.stdout.write(plainLines(`${version}\n`))
    return 0
  }
  if (word === "--help" || word === "help") {
    process.stdout.write(plainLines(installUsage))
    return 0
  }
  // the daemon said why it ends: another start would change nothing, and a service makes none
  if (word === "run") {
    const code = await daemon(args)
    return code === 0 || code === updateExit ? code : finalExit
  }
  const code = await installCommand(word, args)
  if (code !== undefined) return code
  process.stderr.write(plainLines(`hub-daemon: there is no ${word}; hub-daemon --help shows what there is\n`))
  return 2
}

// a log that cannot be written, as its disk is full or its reader has left, ends no daemon
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
// what is left over (a timer, what an agent has left behind) is not waited for
process.exit(await main())
