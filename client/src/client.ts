/** The client: every operation as a method, made from the table. Owns the wiring; sends nothing itself. */
import { operations } from "./generated/operations.ts"
import { listing } from "./listing.ts"
import { operationOf } from "./request.ts"
import { call, type SendOptions } from "./send.ts"
import { openStream } from "./stream.ts"
import type { StreamOptions } from "./stream-item.ts"
import { type ClientOptions, type Transport, transportOf } from "./transport.ts"
import type { OperationName, Operations, Output } from "./types.ts"
import { type WaitOptions, waitForCommand } from "./wait-for-command.ts"

/** A client of one hub. */
export type HubClient = Operations & {
  readonly commands: {
    /** Waits until a command has ended, whichever way; asks again with growing pauses. */
    readonly wait: (input: { readonly commandId: string }, options?: WaitOptions) => Promise<Output<"commands.get">>
  }
}

const isPaged = (name: OperationName): boolean => operationOf(name).query?.includes("cursor") === true

const methodOf = (transport: Transport, name: OperationName): unknown => {
  if (operationOf(name).answer === "stream") {
    return (input: object = {}, options: StreamOptions = {}) => openStream(transport, name, input, options)
  }
  const send = (input: object = {}, options: SendOptions = {}) => call(transport, name, input, options)
  if (!isPaged(name)) return send
  return (input: object = {}, options: SendOptions = {}) =>
    listing((cursor) => send(cursor === undefined ? input : { ...input, cursor }, options) as Promise<object>)
}

/** Makes a client. Throws a `TypeError` where the address or the credential is none. */
export const createClient = (options: ClientOptions): HubClient => {
  const transport = transportOf(options)
  const groups: Record<string, Record<string, unknown>> = {}
  for (const name of Object.keys(operations) as Array<OperationName>) {
    const [group, method] = name.split(".") as [string, string]
    groups[group] = { ...groups[group], [method]: methodOf(transport, name) }
  }
  const client = groups as unknown as HubClient
  groups["commands"]!["wait"] = ({ commandId }: { readonly commandId: string }, given: WaitOptions = {}) =>
    waitForCommand(transport, (read) => client.commands.get({ commandId }, read), given)
  return client
}
