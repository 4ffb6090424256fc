/**
 * An integrator in TypeScript: runs a command on every machine that is online, then follows the account's events and
 * approves what agents ask for, if it is told to.
 *
 *   HUB_KEY=hub_… node integrator.ts http://127.0.0.1:8080 "uname -s" [--follow] [--approve]
 */
import { createClient, type HubClient, isFailure, problemOf, Refused } from "@hub/client"

const runEverywhere = async (client: HubClient, command: string): Promise<void> => {
  for await (const { id: daemonId, hostname, online } of client.daemons.list({ include: "offline" })) {
    if (!online) {
      console.log(`${hostname}: offline`)
      continue
    }
    try {
      const answer = await client.daemons.terminal({ daemonId, command })
      console.log(`${hostname}: ${answer.success ? answer.result.stdout.trim() : answer.error}`)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      // it left since the list was read; the status is 500, as of a fault: the reason tells
      const isOffline = error.reason === "DAEMON_OFFLINE"
      console.log(`${hostname}: ${isOffline ? "offline" : `${error.status} ${error.reason}`}`)
    }
  }
}

/** Approves the prompt that was seen, and no other. */
const approve = async (client: HubClient, target: string, promptId: string | undefined): Promise<void> => {
  try {
    await client.shortcuts.approve({
      ideId: target,
      action: "approve",
      ...(promptId === undefined ? {} : { promptId })
    })
    console.log(`${target}: approved`)
  } catch (error) {
    const problem = problemOf("shortcuts.approve", error)
    if (problem === undefined) throw error
    console.log(`${target}: not approved, ${problem.reason}`)
  }
}

const follow = async (client: HubClient, approves: boolean, signal: AbortSignal): Promise<void> => {
  for await (const item of client.events.stream({}, { signal })) {
    if (item.type === "gap") console.log("something was missed: read the state again")
    if (item.type !== "event") continue
    const { event, payload } = item.data
    console.log(event, "daemonId" in payload ? payload.daemonId : payload.jobId)
    if (event !== "agent:waiting_approval") continue
    console.log(payload.modalMessage ?? "")
    if (approves) await approve(client, `${payload.daemonId}:session:${payload.targetSessionId}`, payload.promptId)
  }
}

const [url, command, ...flags] = process.argv.slice(2)
const credential = process.env["HUB_KEY"]
if (url === undefined || command === undefined || credential === undefined) {
  console.error("usage: HUB_KEY=hub_… node integrator.ts URL COMMAND [--follow] [--approve]")
  process.exit(2)
}
const clientOf = (): HubClient => {
  try {
    return createClient({ url, credential })
  } catch (error) {
    console.error((error as Error).message) // an address or a key that is none
    process.exit(2)
  }
}
const client = clientOf()
const interrupted = new AbortController()
process.once("SIGINT", () => interrupted.abort())
try {
  await runEverywhere(client, command)
  if (flags.includes("--follow")) await follow(client, flags.includes("--approve"), interrupted.signal)
} catch (error) {
  if (interrupted.signal.aborted) process.exit(130)
  if (!isFailure(error)) throw error
  console.error(error.message)
  process.exit(1)
}
