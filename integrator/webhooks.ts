/** `hub webhook …`: the account's webhooks and their deliveries. Owns their words at the command line. */
import type { Input, Output } from "../client/src/index.ts"
import { ArgumentError, type Flags, type Values } from "../src/cli/arguments.ts"
import { additionalEvents } from "../src/domain/event/events.ts"
import { plainJson } from "../src/runtime/escape.ts"
import { givenTimePast, listed, present } from "./given-values.ts"
import { shownOnce, type Verbs, verb } from "./verbs.ts"

type Webhook = Output<"webhooks.list">["webhooks"][number]
type Delivery = Output<"webhooks.deliveries">["deliveries"][number]

const what = {
  event: { kind: "text", many: true, says: "this event, or *; may be given more than once" },
  selector: { kind: "text", says: "only of daemons with these tags" }
} as const satisfies Flags

/** The events, each in the list of the API that has its name. */
const whatOf = ({ event, selector }: Values<typeof what>) => {
  const named = listed(event)
  const further = named.filter((one) => (additionalEvents as ReadonlyArray<string>).includes(one))
  const events = named.filter((one) => !further.includes(one))
  return present({
    events: event === undefined ? undefined : events,
    additionalEvents: event === undefined ? undefined : further,
    selector
  })
}

const lineOf = (one: Webhook): string =>
  `${one.id}  ${one.active ? one.health : "off"}  ${one.url}  ${[...one.events, ...one.additionalEvents].join(",")}`
const outcomeOf = (one: Delivery): string => `${one.statusCode ?? one.error ?? ""}`
const deliveryLine = (one: Delivery): string =>
  `${one.requestedAt === null ? "not yet" : new Date(one.requestedAt).toISOString()}  ${one.deliveryId}  ${one.event}  ${one.status} ${outcomeOf(one)}  attempt ${one.attempt} of ${one.maxAttempts}`

const warningsOf = ({ warnings = [] }: { readonly warnings?: ReadonlyArray<string> }): ReadonlyArray<string> =>
  warnings.map((warning) => `warning: ${warning}`)

export const webhookVerbs: Verbs = {
  list: verb({
    usage: "",
    says: "the webhooks of the account",
    words: [0, 0],
    flags: {},
    run: async (_, __, caller) => {
      const { webhooks } = await caller.withKey((client) => client.webhooks.list())
      for (const one of webhooks) caller.show(one, (shown) => [lineOf(shown)])
    }
  }),
  create: verb({
    usage: "URL --event EVENT",
    says: "make one; the secret that signs is shown this once",
    words: [1, 1],
    flags: what,
    run: async (given, [url], caller) => {
      const asked = { url: url!, events: [], ...whatOf(given) } as Input<"webhooks.create">
      const made = await caller.asOwner("make a webhook", (client) => client.webhooks.create(asked, shownOnce))
      caller.show(made, (one) => [lineOf(one), `secret: ${one.secret ?? "as before"}`, ...warningsOf(one)])
    }
  }),
  update: verb({
    usage: "ID [--url URL] [--on|--off]",
    says: "change what is named",
    words: [1, 1],
    flags: {
      url: { kind: "url", says: "where to" },
      on: { kind: "switch", says: "deliver again" },
      off: { kind: "switch", says: "deliver nothing until it is on again" },
      ...what,
      selector: { ...what.selector, mayBeEmpty: true, says: `${what.selector.says}; "" for all` }
    },
    run: async (given, [webhookId], caller) => {
      if (given.on === true && given.off === true) throw new ArgumentError("name either --on or --off")
      const active = given.on === true ? true : given.off === true ? false : undefined
      const asked = {
        webhookId: webhookId!,
        ...whatOf(given),
        ...present({ url: given.url, active })
      } as Input<"webhooks.update">
      const answer = await caller.asOwner("change a webhook", (client) => client.webhooks.update(asked))
      caller.show(answer, (one) => [`${webhookId} is changed`, ...warningsOf(one)])
    }
  }),
  remove: verb({
    usage: "ID",
    says: "remove it with its deliveries",
    words: [1, 1],
    flags: {},
    run: async (_, [webhookId], caller) => {
      const input = { webhookId: webhookId! }
      const answer = await caller.asOwner("remove a webhook", (client) => client.webhooks.remove(input))
      caller.show(answer, () => [`${webhookId} is removed`])
    }
  }),
  deliveries: verb({
    usage: "ID",
    says: "its latest attempts",
    words: [1, 1],
    flags: {},
    run: async (_, [webhookId], caller) => {
      const input = { webhookId: webhookId! }
      const { deliveries } = await caller.withKey((client) => client.webhooks.deliveries(input))
      for (const one of deliveries) caller.show(one, (shown) => [deliveryLine(shown)])
    }
  }),
  delivery: verb({
    usage: "ID DELIVERY",
    says: "the request of a delivery as it would be sent now; with --json also its address and headers",
    words: [2, 2],
    flags: {},
    run: async (_, [webhookId, deliveryId], caller) => {
      const input = { webhookId: webhookId!, deliveryId: deliveryId! }
      caller.show(
        await caller.asOwner("see what was sent", (client) => client.webhooks.delivery(input)),
        ({ body }) => [plainJson(body)]
      )
    }
  }),
  test: verb({
    usage: "ID",
    says: "send it a test, one attempt (exit code 1 where it is not taken)",
    words: [1, 1],
    flags: {},
    run: async (_, [webhookId], caller) => {
      const input = { webhookId: webhookId! }
      const answer = await caller.asOwner("have the test of a webhook sent", (client) => client.webhooks.test(input))
      caller.show(answer.delivery, (one) => [deliveryLine(one)])
      return answer.success
    }
  }),
  rotate: verb({
    usage: "ID",
    says: "give it another secret, shown this once; deliveries bear the signatures of both for a day",
    words: [1, 1],
    flags: {},
    run: async (_, [webhookId], caller) => {
      const input = { webhookId: webhookId! }
      const answer = await caller.asOwner("change a secret", (client) => client.webhooks.rotateSecret(input, shownOnce))
      caller.show(answer, ({ secret }) => [`secret: ${secret ?? "shown once before"}`])
    }
  }),
  retry: verb({
    usage: "ID DELIVERY",
    says: "send a delivery again",
    words: [2, 2],
    flags: {},
    run: async (_, [webhookId, deliveryId], caller) => {
      const input = { webhookId: webhookId!, deliveryId: deliveryId! }
      const answer = await caller.asOwner("send a delivery again", (client) => client.webhooks.retry(input))
      caller.show(answer, () => [`${deliveryId} is sent again`])
    }
  }),
  recover: verb({
    usage: "ID --since 2h",
    says: "send all again that failed since then",
    words: [1, 1],
    flags: { since: { kind: "date", required: true, says: "an ISO 8601 date or time, or a span until now" } },
    run: async ({ since }, [webhookId], caller) => {
      const input = { webhookId: webhookId!, since: givenTimePast("since", since) }
      const answer = await caller.asOwner("send deliveries again", (client) => client.webhooks.recover(input))
      caller.show(answer, ({ recovered }) => [`${recovered} deliveries are sent again`])
    }
  })
}
