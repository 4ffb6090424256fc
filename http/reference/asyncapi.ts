/**
 * The AsyncAPI document: what goes over the daemon socket, the streams of Server-Sent Events and the webhooks. Owns
 * channels and operations, those of streams as the contract has them; messages.ts makes the messages.
 */
import type { Reference } from "./document.ts"
import { examples } from "./examples.ts"
import type { Json } from "./json-schemas.ts"
import {
  daemonMessages,
  deliveryMessages,
  hubMessages,
  type Messages,
  messageSchemas,
  streamMessages
} from "./messages.ts"
import { type Operation, securitySchemes } from "./operations.ts"

const description = `What the hub and others send each other as it happens; \`/openapi.json\` describes the calls.

- docs/daemon-protocol.md says what each frame of the daemon socket means, docs/webhooks.md the events, docs/sessions-and-turns.md the logs.
- What a daemon sends is read as far as it fits, and \`null\` as absent. Ignore members and types that you do not know.`

const ref = (...path: ReadonlyArray<string>): Json => ({ $ref: `#/${path.join("/")}` })

const variableHost = (says: string): Json => ({ host: "{host}", variables: { host: { description: says } } })

const serversOf = (server: string): Json => {
  const url = URL.parse(server)
  const pathname = (url?.pathname ?? "/").replace(/\/$/u, "")
  const host =
    url === null ? variableHost("Where the hub listens") : { host: url.host, ...(pathname === "" ? {} : { pathname }) }
  const secure = url?.protocol === "https:" ? "s" : ""
  return {
    socket: { ...host, protocol: `ws${secure}` },
    streams: { ...host, protocol: `http${secure}` },
    receiver: { ...variableHost("That of a webhook's `url`"), protocol: "https" }
  }
}

/** A channel, and what is done over it. */
interface Channel {
  readonly name: string
  readonly channel: Json & { readonly messages: Messages }
  readonly operations: Json
}

const operationOn = (channel: string, action: "send" | "receive", messages: Messages, more: Json): Json => ({
  action,
  channel: ref("channels", channel),
  messages: Object.keys(messages).map((name) => ref("channels", channel, "messages", name)),
  ...more
})

const socket: Channel = {
  name: "daemons_connect",
  channel: {
    address: "/api/v1/daemons/connect",
    title: "The daemon socket",
    description: "A frame is one JSON object in a text message; `type` tells the frames apart. The first is `auth`.",
    servers: [ref("servers", "socket")],
    messages: { ...daemonMessages, ...hubMessages },
    bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } }
  },
  operations: {
    receiveFrames: operationOn("daemons_connect", "receive", daemonMessages, {
      summary: "What a daemon sends",
      security: [ref("components", "securitySchemes", "daemonToken")]
    }),
    sendFrames: operationOn("daemons_connect", "send", hubMessages, {
      summary: "What the hub sends to it",
      security: [ref("components", "securitySchemes", "daemonToken")]
    })
  }
}

const parametersIn = (spec: Json, place: string): ReadonlyArray<Json> =>
  ((spec["parameters"] ?? []) as ReadonlyArray<Json>).filter((one) => one["in"] === place)

const queryOf = (spec: Json): Json => {
  const all = parametersIn(spec, "query").map(({ name, description, schema }) => [
    name,
    { ...(schema as Json), description }
  ])
  return { type: "object", properties: Object.fromEntries(all) }
}

/** A stream is an operation of the contract. */
const streamOf = ({ path, spec, access: { streams } }: Operation): ReadonlyArray<Channel> => {
  if (streams === undefined) return []
  const name = String(spec["operationId"]).replaceAll(".", "_")
  const messages = streamMessages(streams, examples)
  const parameters = parametersIn(spec, "path").map(({ name: of, description: says }) => [of, { description: says }])
  const schemes = new Set((spec["security"] as ReadonlyArray<Json>).flatMap(Object.keys))
  const operation = operationOn(name, "send", messages, {
    summary: spec["summary"],
    description: spec["description"],
    security: [...schemes].map((scheme) => ref("components", "securitySchemes", scheme)),
    bindings: { http: { method: "GET", query: queryOf(spec), bindingVersion: "0.3.0" } }
  })
  const channel = {
    address: path,
    title: spec["summary"],
    description: "Server-Sent Events: a message's name is the `event`, its payload the `data`.",
    servers: [ref("servers", "streams")],
    parameters: Object.fromEntries(parameters),
    messages
  }
  return [{ name, channel, operations: { [name]: operation } }]
}

const webhooks = (): Channel => {
  const messages = deliveryMessages(examples)
  const operation = operationOn("webhooks", "send", messages, {
    summary: "Events to webhooks",
    bindings: { http: { method: "POST", bindingVersion: "0.3.0" } }
  })
  const channel = {
    address: null,
    title: "Webhooks",
    description: "To the `url` of a webhook. Any 2xx within 10 seconds is a delivery.",
    servers: [ref("servers", "receiver")],
    messages
  }
  return { name: "webhooks", channel, operations: { deliver: operation } }
}

/** Builds the document. `server` is the public address. */
export const asyncReferenceOf = ({ document, operations }: Reference, server: string): Json => {
  const channels = [socket, ...operations.flatMap(streamOf), webhooks()]
  return {
    asyncapi: "3.0.0",
    info: { ...infoOf(document["info"] as Json), description },
    defaultContentType: "application/json",
    servers: serversOf(server),
    channels: Object.fromEntries(channels.map(({ name, channel }) => [name, channel])),
    operations: Object.assign({}, ...channels.map((one) => one.operations)) as Json,
    components: {
      schemas: messageSchemas(),
      securitySchemes: {
        ...securitySchemes,
        daemonToken: { type: "http", scheme: "bearer", description: "A daemon's token, with the upgrade or in `auth`" }
      }
    }
  }
}

const infoOf = ({ title, version, contact }: Json): Json => ({ title, version, contact })
