/**
 * The packed client in each runtime that its README names, against a real hub: one program, run as it is. The browser
 * is the console's to show.
 */
import { once } from "node:events"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { programOf, type Runtime, startIn } from "../contract/javascript-runtimes.ts"
import { ownedDaemon } from "../support/connected-daemon.ts"
import { useHub } from "../support/hub.ts"
import { root } from "../support/root.ts"
import { packedClient } from "./packed-client.ts"

const secret = "whsec_dGhpcyBpcyBhIHNlY3JldCBvZiB0aGUgdGVzdHM="
const body = JSON.stringify({ event: "webhook:test", timestamp: 1, payload: {} })

/** A delivery as it arrives just now. */
const signed = () => {
  const at = new Date()
  return {
    body,
    secret,
    headers: {
      "webhook-id": "dlv_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign("dlv_1", at, body)
    }
  }
}

/** Where each must be tried: there is no Deno for every machine in the lock file. */
const isExpected = (runtime: Runtime): boolean =>
  programOf(runtime) !== undefined ||
  (process.env["CI"] === "true" && `${process.platform}-${process.arch}` === "linux-x64")

describe.skipIf(inject("contractToolsMissing"))("the packed client", () => {
  const hub = useHub()
  let folder: string
  beforeAll(async () => {
    folder = await packedClient()
    cpSync(join(root, "test/client/runtime-program.ts"), join(folder, "runtime-program.ts"))
  })

  it.for(["node", "deno", "bun"] as const)(
    "lists, follows events, sends a command, is refused and verifies a webhook in %s",
    async (runtime, { skip }) => {
      skip(!isExpected(runtime), `there is no ${runtime} for this machine`)
      const { account, daemonId, key, connect } = await ownedDaemon(hub)
      const second = await account.daemonToken()
      const given = { url: hub.url, credential: key, daemonId, delivery: signed() }
      const child = startIn(runtime, "runtime-program.ts", [JSON.stringify(given)], folder)
      const complained = text(child.stderr!)
      const ended = once(child, "close")
      const said: Record<string, unknown> = {}
      for await (const line of createInterface({ input: child.stdout! })) {
        const [name, value] = JSON.parse(line) as [string, unknown]
        said[name] = value
        if (name !== "stream" || value !== "open") continue
        const peer = await connect()
        void peer
          .nextCommand()
          .then((command) =>
            command.succeed({ exitCode: 0, stdout: `${runtime}\n`, stderr: "", durationMs: 3, truncated: false })
          )
      }
      expect([await ended, await complained]).toEqual([[0, null], ""])
      expect(said).toEqual({
        runtime: expect.stringMatching(new RegExp(`^${runtime}[./]`, "iu")),
        listed: expect.arrayContaining([daemonId, second.daemonId]),
        stream: "open",
        event: "daemon:connect",
        terminal: `${runtime}\n`,
        refused: "NOT_FOUND",
        verified: ["dlv_1", "webhook:test"],
        forged: true
      })
    }
  )
})
