/** The AsyncAPI document names what is sent, in its direction, and nothing else. */
import { Context, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { AccessOf } from "../../../http/api/access.ts"
import { Api } from "../../../http/api/api.ts"
import { asyncReferenceOf } from "../../../http/reference/asyncapi.ts"
import { referenceOf } from "../../../http/reference/document.ts"
import { dispatchedEvents, streamedOnly, testEvent } from "../../../src/domain/event/events.ts"
import { type DaemonFrame, decodeFrame } from "../../../src/protocol/codec.ts"
import type { HubFrame } from "../../../src/protocol/hub-frames.ts"
import type { AsyncApiDocument } from "../../contract/asyncapi-document.ts"

const documentAt = (server: string) => asyncReferenceOf(referenceOf(Api, server), server) as unknown as AsyncApiDocument
const document = documentAt("https://hub.test")

/** The compiler holds these lists to what codec.ts reads and writes. */
const read: Record<Exclude<DaemonFrame["type"], "unknown" | "misfit" | "broken">, true> = {
  auth: true,
  status_report: true,
  status_event: true,
  command_result: true,
  log_events: true,
  update_result: true
}
const written: Record<HubFrame["type"], true> = {
  auth_ok: true,
  auth_error: true,
  command: true,
  command_cancel: true,
  result_ack: true,
  event_ack: true,
  ice_servers: true,
  reconnect: true,
  log_subscribe: true,
  log_unsubscribe: true,
  update: true,
  policy: true,
  unsupported: true
}

const messagesOf = (operation: string): ReadonlyArray<string> =>
  document.operations[operation]!.messages.map(({ $ref }) => $ref.split("/").at(-1)!)
const namesOn = (channel: string): ReadonlyArray<string> =>
  Object.values(document.channels[channel]!.messages).map(({ name }) => name)

const refs = (value: unknown): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, one]) => (name === "$ref" && typeof one === "string" ? [one] : refs(one)))

describe("the AsyncAPI document", () => {
  it("has a message for every frame that the hub reads from daemons, and for no other", () => {
    expect(document.operations["receiveFrames"]!.action).toBe("receive")
    expect([...messagesOf("receiveFrames")].sort()).toEqual(Object.keys(read).sort())
    const understood = messagesOf("receiveFrames").map((type) => decodeFrame(JSON.stringify({ type, data: {} })).type)
    expect(understood).not.toContain("unknown")
  })
  it("has a message for every frame that the hub sends to daemons, and for no other", () => {
    expect(document.operations["sendFrames"]!.action).toBe("send")
    expect([...messagesOf("sendFrames")].sort()).toEqual(Object.keys(written).sort())
    expect(namesOn("daemons_connect")).toHaveLength(Object.keys({ ...read, ...written }).length)
  })
  it("tells the frames apart by their type", () => {
    for (const [name, { payload }] of Object.entries(document.channels["daemons_connect"]!.messages)) {
      const schema = document.components.schemas[payload.$ref.split("/").at(-1)!]
      expect(schema).toMatchObject({ required: ["type", "data"], properties: { type: { enum: [name] } } })
    }
  })
  it("has a channel for every stream of the contract", () => {
    const streams: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, mergedAnnotations }) => {
        const access = Option.getOrThrow(Context.getOption(mergedAnnotations, AccessOf))
        if (access.streams !== undefined) streams.push(endpoint.path.replace(/:(\w+)/gu, "{$1}"))
      }
    })
    expect(streams.length).toBeGreaterThan(1)
    const addresses = Object.values(document.channels).map(({ address }) => address)
    expect(addresses.sort()).toEqual(["/api/v1/daemons/connect", null, ...streams].sort())
  })
  it("has a message for every event of a live stream and of a log, and for the hub's own words in them", () => {
    expect([...namesOn("events_stream")].sort()).toEqual([...dispatchedEvents, ...streamedOnly, "gap"].sort())
    expect(namesOn("sessions_stream")).toEqual(["LogEvent", "gap", "end"])
  })
  it("has a message for every event that webhooks get", () =>
    expect([...namesOn("webhooks")].sort()).toEqual([...dispatchedEvents, testEvent].sort()))
  it("refers only to what it contains, and contains no schema that it does not refer to", () => {
    const found = new Set(refs(document))
    for (const ref of found) {
      const path = ref.slice(2).split("/")
      // biome-ignore lint/suspicious/noExplicitAny: a place in JSON
      const target = path.reduce<any>((at, name) => at?.[name], document)
      expect(target, ref).toBeDefined()
    }
    const unused = Object.keys(document.components.schemas).filter((name) => !found.has(`#/components/schemas/${name}`))
    expect(unused).toEqual([])
  })
  it("names the public address as its servers, with the protocol of each channel", () => {
    const { servers } = documentAt("https://hub.test/base/")
    expect(servers).toMatchObject({
      socket: { host: "hub.test", pathname: "/base", protocol: "wss" },
      streams: { host: "hub.test", pathname: "/base", protocol: "https" }
    })
    expect(documentAt("/").servers).toMatchObject({ socket: { host: "{host}", protocol: "ws" } })
  })
})
