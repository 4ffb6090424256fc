/**
 * The commands that only talk to a hub, as a program of their own: integrator/build.ts makes one file of it, which
 * begins in a fraction of the time. Owns which words it knows; `./hub` calls it for these, and src/main.ts otherwise.
 */
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { isIntegratorWord } from "../src/cli/integrator-words.ts"
import { addressMillisMax } from "../src/limits/delivery.ts"
import { plainLines } from "../src/runtime/escape.ts"
import { integrator } from "./main.ts"

process.umask(0o077)
setDefaultAutoSelectFamilyAttemptTimeout(addressMillisMax)
let unwritten: string | undefined
// a reader may leave first (`| head`); on a full disk what was asked for is lost
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") unwritten = message
})
process.stderr.on("error", () => undefined)

const [word = "", ...args] = process.argv.slice(2)

const main = async (): Promise<number> => {
  if (isIntegratorWord(word)) return integrator(word, args)
  process.stdout.write(plainLines(`${process.env["HUB_CLI_VERSION"] ?? ""}\n`))
  return 0
}

const handedOver = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write("", () => resolve()))

const code = await main()
await handedOver(process.stdout)
if (unwritten !== undefined) process.stderr.write(plainLines(`hub ${word}: the output is not written: ${unwritten}\n`))
await handedOver(process.stderr)
// what is left over now (a kept-alive connection, a lookup) is not waited for
process.exit(unwritten === undefined ? code : 1)
