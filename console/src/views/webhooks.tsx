/** The webhooks of the account, and a new one. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Choices, Field } from "../components/field.tsx"
import { Empty, Failure, Reading, Warnings } from "../components/notices.tsx"
import { Page, Refresh, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { SecretOnce } from "../components/secret-once.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { client, shownOnce } from "../state/session.ts"

type Webhook = Output<"webhooks.list">["webhooks"][number]

/** What may be subscribed. */
const subscribable = [
  { name: "*", says: "everything about machines and agents" },
  { name: "daemon:connect", says: "a daemon came online" },
  { name: "daemon:disconnect", says: "a daemon went offline" },
  { name: "agent:status", says: "agents changed their state" }
] as const

/** What is asked for beside that, by name. */
const additional = [
  { name: "agent:waiting_approval", says: "an agent waits for an approval" },
  { name: "agent:waiting_choice", says: "an agent waits for a choice" },
  { name: "agent:generating_started", says: "an agent began a response" },
  { name: "agent:generating_completed", says: "an agent finished a response" },
  { name: "agent:stopped", says: "the session of an agent stopped" },
  { name: "monitor:no_progress", says: "an agent makes no visible progress" },
  { name: "command:completed", says: "a kept command ended" },
  { name: "job:completed", says: "a job ended" },
  { name: "daemon:identity_copied", says: "another machine has the token of a daemon" }
] as const
type Additional = (typeof additional)[number]["name"]

/** What a webhook subscribes to. */
export const subscriptionOf = ({ events, additionalEvents }: Webhook): string =>
  [...events, ...additionalEvents].join(", ") || "nothing is subscribed"

/** What a webhook's state is called. */
export const stateOf = ({ active, health }: Webhook): string => (active ? health : "paused")

const Row = ({ webhook }: { readonly webhook: Webhook }) => (
  <li>
    <a class="row" href={linkTo("webhooks", webhook.id)}>
      <span class="grow">
        <strong class="break">{webhook.url}</strong>
        <small class="soft">{subscriptionOf(webhook)}</small>
        {webhook.selector !== null && <small class="soft break">only {webhook.selector}</small>}
      </span>
      <small class="soft">
        <RelativeTime at={webhook.lastDeliveryAt} none="no delivery yet" />
      </small>
      <Badge state={stateOf(webhook)} />
    </a>
  </li>
)

const NewWebhook = ({ created }: { readonly created: () => void }) => {
  const [url, setUrl] = useState("")
  const [events, setEvents] = useState<ReadonlyArray<string>>(["*"])
  const [more, setMore] = useState<ReadonlyArray<string>>([])
  const [selector, setSelector] = useState("")
  const [secret, setSecret] = useState<string | undefined>(undefined)
  const [warnings, setWarnings] = useState<ReadonlyArray<string> | undefined>(undefined)
  const { busy, failure, submit } = useAction()
  const create = submit(async () => {
    const asked = { url, events: [...events], additionalEvents: more as Array<Additional>, selector }
    const webhook = await client.webhooks.create(asked, shownOnce)
    setSecret(webhook.secret)
    setWarnings(webhook.warnings)
    setUrl("")
    created()
  })
  return (
    <Section title="New webhook" says="Each event is sent there as a signed POST.">
      {secret !== undefined && (
        <SecretOnce label="The webhook's secret." text={secret} done={() => setSecret(undefined)} />
      )}
      <Warnings texts={warnings} />
      <form onSubmit={create}>
        <Field label="Address" type="url" placeholder="https://example.org/hooks" required value={url} put={setUrl} />
        <Choices label="Events" all={subscribable} chosen={events} put={setEvents} />
        <Choices label="Also, by name" all={additional} chosen={more} put={setMore} />
        <Field
          label="Only of daemons with these tags"
          placeholder="env=prod,gpu"
          hint="Empty: of all."
          value={selector}
          put={setSelector}
        />
        <Failure text={failure} />
        <button type="submit" disabled={busy || events.length + more.length === 0}>
          {busy ? "Creating…" : "Create the webhook"}
        </button>
      </form>
    </Section>
  )
}

/** The view. */
export const Webhooks = () => {
  const { value, failure, reload } = useFetched(
    async (signal) => (await client.webhooks.list({}, { signal })).webhooks,
    []
  )
  return (
    <Page title="Webhooks" actions={<Refresh act={reload} />}>
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value?.length === 0 && <Empty>There is no webhook yet.</Empty>}
      <ul class="list" aria-label="Webhooks">
        {value?.map((one) => (
          <Row key={one.id} webhook={one} />
        ))}
      </ul>
      <NewWebhook created={reload} />
    </Page>
  )
}
