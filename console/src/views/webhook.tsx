/** One webhook: its health, what can be done with it, its deliveries. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Confirm } from "../components/dialog.tsx"
import { Choice } from "../components/field.tsx"
import { Done, Empty, Failure, Reading, Warnings } from "../components/notices.tsx"
import { Page, Refresh, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { SecretOnce } from "../components/secret-once.tsx"
import { countWords } from "../components/time-words.ts"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { client, shownOnce } from "../state/session.ts"
import { Deliveries } from "./deliveries.tsx"
import { stateOf, subscriptionOf } from "./webhooks.tsx"

type Webhook = Output<"webhooks.list">["webhooks"][number]

const hourMillis = 3_600_000
const spans = [
  [1, "the last hour"],
  [24, "the last day"],
  [168, "the last week"]
] as const

const Facts = ({ webhook }: { readonly webhook: Webhook }) => (
  <dl class="facts">
    <dt>Id</dt>
    <dd>
      <code>{webhook.id}</code>
    </dd>
    <dt>Events</dt>
    <dd>{subscriptionOf(webhook)}</dd>
    <dt>Daemons</dt>
    <dd class="break">{webhook.selector ?? "all"}</dd>
    <dt>Last delivery</dt>
    <dd>
      <RelativeTime at={webhook.lastDeliveryAt} />
      {webhook.lastStatusCode !== null && `, answered ${webhook.lastStatusCode}`}
    </dd>
    <dt>Dropped</dt>
    <dd>
      {countWords(webhook.droppedDeliveries)}
      {webhook.lastDroppedAt !== null && (
        <>
          , the last <RelativeTime at={webhook.lastDroppedAt} />
        </>
      )}
    </dd>
  </dl>
)

interface PartProps {
  readonly webhook: Webhook
  readonly changed: () => void
}

/** Sends a test, and says how it went. */
const Test = ({ webhook, changed }: PartProps) => {
  const [said, setSaid] = useState<string | undefined>(undefined)
  const { busy, failure, run } = useAction()
  const test = () =>
    run(async () => {
      setSaid(undefined)
      const { success, delivery } = await client.webhooks.test({ webhookId: webhook.id })
      const how = delivery.statusCode === null ? (delivery.error ?? "no answer") : `answered ${delivery.statusCode}`
      setSaid(success ? `The test arrived: ${how}.` : `The test failed: ${how}.`)
      changed()
    })
  return (
    <>
      <button type="button" disabled={busy} onClick={test}>
        {busy ? "Testing…" : "Send a test"}
      </button>
      {said !== undefined && <Done>{said}</Done>}
      <Failure text={failure} />
    </>
  )
}

/** Pauses or resumes. */
const Pause = ({ webhook, changed }: PartProps) => {
  const [warnings, setWarnings] = useState<ReadonlyArray<string> | undefined>(undefined)
  const { busy, failure, run } = useAction()
  const change = () =>
    run(async () => {
      setWarnings((await client.webhooks.update({ webhookId: webhook.id, active: !webhook.active })).warnings)
      changed()
    })
  return (
    <>
      <button type="button" class="quiet" disabled={busy} onClick={change}>
        {webhook.active ? "Pause" : "Resume"}
      </button>
      <Warnings texts={warnings} />
      <Failure text={failure} />
    </>
  )
}

/** Replaces the secret. */
const Rotate = ({ webhook }: PartProps) => {
  const [secret, setSecret] = useState<string | undefined>(undefined)
  const { busy, failure, run } = useAction()
  const rotate = () =>
    run(async () => setSecret((await client.webhooks.rotateSecret({ webhookId: webhook.id }, shownOnce)).secret))
  return (
    <>
      <Confirm
        label="Rotate the secret"
        question="Replace the secret?"
        says="For 24 hours both sign, so that the receiver can change over."
        busy={busy}
        act={rotate}
      />
      {secret !== undefined && <SecretOnce label="The new secret." text={secret} done={() => setSecret(undefined)} />}
      <Failure text={failure} />
    </>
  )
}

/** Removes it. */
const Remove = ({ webhook }: PartProps) => {
  const { busy, failure, run } = useAction()
  const remove = () =>
    run(async () => {
      await client.webhooks.remove({ webhookId: webhook.id })
      location.hash = linkTo("webhooks")
    })
  return (
    <>
      <Confirm
        label="Delete"
        question="Delete the webhook?"
        says="What is pending is cancelled, and its history goes."
        busy={busy}
        act={remove}
      />
      <Failure text={failure} />
    </>
  )
}

/** Sends again what failed since a time. */
const Recover = ({ webhook, changed }: PartProps) => {
  const [hours, setHours] = useState<number>(24)
  const [count, setCount] = useState<number | undefined>(undefined)
  const { busy, failure, submit } = useAction()
  const recover = submit(async () => {
    const since = Date.now() - hours * hourMillis
    setCount((await client.webhooks.recover({ webhookId: webhook.id, since })).recovered)
    changed()
  })
  return (
    <Section title="Recover" says="Sends again what failed or expired, at most 1,000 deliveries at once.">
      <form class="inline" onSubmit={recover}>
        <Choice label="Since" of={spans} value={hours} put={setHours} />
        <button type="submit" class="quiet" disabled={busy}>
          Recover
        </button>
      </form>
      {count !== undefined && <Done>{`${count} deliveries are sent again.`}</Done>}
      <Failure text={failure} />
    </Section>
  )
}

/** The view. */
export const WebhookView = ({ webhookId }: { readonly webhookId: string }) => {
  const [turn, setTurn] = useState(0)
  const { value, failure, reload } = useFetched(
    async (signal) => {
      const { webhooks } = await client.webhooks.list({}, { signal })
      return { webhook: webhooks.find(({ id }) => id === webhookId) }
    },
    [webhookId]
  )
  const changed = () => {
    reload()
    setTurn((before) => before + 1)
  }
  const webhook = value?.webhook
  return (
    <Page
      title="Webhook"
      above={<a href={linkTo("webhooks")}>Webhooks</a>}
      beside={webhook !== undefined && <Badge state={stateOf(webhook)} />}
      actions={<Refresh act={changed} />}
    >
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value !== undefined && webhook === undefined && <Empty>There is no such webhook.</Empty>}
      {webhook !== undefined && (
        <>
          <p class="break">
            <code>{webhook.url}</code>
          </p>
          <Facts webhook={webhook} />
          <div class="actions">
            <Test webhook={webhook} changed={changed} />
            <Pause webhook={webhook} changed={changed} />
            <Rotate webhook={webhook} changed={changed} />
            <Remove webhook={webhook} changed={changed} />
          </div>
          <Deliveries webhookId={webhookId} turn={turn} />
          <Recover webhook={webhook} changed={changed} />
        </>
      )}
    </Page>
  )
}
