/** The deliveries of a webhook, one row per attempt, newest first; each can be sent again. */
import type { Output } from "@hub/client"
import { useEffect, useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Failure, ListEnd } from "../components/notices.tsx"
import { Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { TextBlock } from "../components/text-block.tsx"
import { durationWords } from "../components/time-words.ts"
import { useAction } from "../state/action.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"

type Delivery = Output<"webhooks.deliveries">["deliveries"][number]

const page = 20

const answerOf = ({ statusCode, error, errorDetail, durationMs }: Delivery): string => {
  const took = durationMs === null ? "" : ` in ${durationWords(durationMs)}`
  if (statusCode !== null) return `answered ${statusCode}${took}`
  if (error === undefined) return "no request yet"
  const why = errorDetail === undefined ? "" : ` (${errorDetail})`
  return `failed: ${error.replaceAll("_", " ")}${why}${took}`
}

type Sent = Output<"webhooks.delivery">

/** In single quotes a shell takes all but the quote itself as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const curlOf = ({ url, headers, body }: Sent): string =>
  [
    `curl -sS -i ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-binary ${quoted(body)}`
  ].join(" \\\n  ")

const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** What is sent, on demand: it bears signatures that are good now, so the hub wants a recent login for it. */
const Request = ({ webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string }) => {
  const [sent, setSent] = useState<Sent | undefined>(undefined)
  const { busy, failure, run } = useAction()
  if (sent !== undefined)
    return (
      <>
        <small class="soft">Body</small>
        <TextBlock label="Body" text={pretty(sent.body)} />
        <small class="soft">Headers, signed now</small>
        <TextBlock
          label="Headers, signed now"
          text={Object.entries(sent.headers)
            .map((one) => one.join(": "))
            .join("\n")}
        />
        <small class="soft">The same with curl</small>
        <TextBlock label="The same with curl" text={curlOf(sent)} />
      </>
    )
  return (
    <>
      <Failure text={failure} />
      <button
        type="button"
        class="quiet"
        disabled={busy}
        onClick={() => run(async () => setSent(await client.webhooks.delivery({ webhookId, deliveryId })))}
      >
        Show the request
      </button>
    </>
  )
}

interface DetailProps {
  readonly webhookId: string
  readonly delivery: Delivery
  readonly sent: () => void
}

const Detail = ({ webhookId, delivery, sent }: DetailProps) => {
  const { busy, failure, run } = useAction()
  const resend = () =>
    run(async () => {
      await client.webhooks.retry({ webhookId, deliveryId: delivery.deliveryId })
      sent()
    })
  return (
    <div class="detail">
      <p class="soft break">
        Delivery <code>{delivery.deliveryId}</code>
        {delivery.nextAttemptAt !== undefined && (
          <>
            , next attempt <RelativeTime at={delivery.nextAttemptAt} />
          </>
        )}
      </p>
      {delivery.responseBody !== null && delivery.responseBody !== "" && (
        <TextBlock
          label="Answer of the receiver"
          text={`${delivery.responseBody}${delivery.responseTruncated ? "…" : ""}`}
        />
      )}
      <Request webhookId={webhookId} deliveryId={delivery.deliveryId} />
      <Failure text={failure} />
      <button type="button" class="quiet" disabled={busy} onClick={resend}>
        Send again
      </button>
    </div>
  )
}

const Row = (props: DetailProps) => {
  const [open, setOpen] = useState(false)
  const { event, attempt, maxAttempts, requestedAt, status } = props.delivery
  return (
    <li>
      <button type="button" class="row plain" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="grow">
          <strong>{event}</strong>
          <small class="soft">
            attempt {attempt} of {maxAttempts}, {answerOf(props.delivery)}
          </small>
        </span>
        <small class="soft">
          <RelativeTime at={requestedAt} none="not sent yet" />
        </small>
        <Badge state={status} />
      </button>
      {open && <Detail {...props} />}
    </li>
  )
}

/** The part of the webhook's view; `turn`: another number where something was sent. */
export const Deliveries = ({ webhookId, turn }: { readonly webhookId: string; readonly turn: number }) => {
  const pages = usePagedList(async (from, signal) => {
    const answer = await client.webhooks.deliveries({ webhookId, limit: page, ...from }, { signal })
    return { rows: answer.deliveries, next: answer.nextCursor }
  }, webhookId)
  const { reload } = pages
  // read again when something was sent
  useEffect(() => {
    if (turn > 0) reload()
  }, [turn, reload])
  return (
    <Section title="Deliveries">
      <ul class="list" aria-label="Deliveries">
        {pages.rows?.map((delivery) => (
          <Row key={delivery.id} webhookId={webhookId} delivery={delivery} sent={reload} />
        ))}
      </ul>
      <ListEnd pages={pages} none="Nothing was sent yet." />
    </Section>
  )
}
