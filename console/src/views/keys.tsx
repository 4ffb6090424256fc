/** The API keys of the account: their list, a new one, the end of one. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Confirm } from "../components/dialog.tsx"
import { ChoiceField, Choices, Field } from "../components/field.tsx"
import { Failure, ListEnd } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { SecretOnce } from "../components/secret-once.tsx"
import { linkTo } from "../routing.ts"
import { type Scope, scopes } from "../scopes.ts"
import { useAction } from "../state/action.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client, shownOnce } from "../state/session.ts"

type Key = Output<"keys.list">["apiKeys"][number]

const page = 50
const dayMillis = 86_400_000

const lives = [
  [0, "never"],
  [30, "in 30 days"],
  [90, "in 90 days"],
  [365, "in a year"]
] as const

const NewKey = ({ created }: { readonly created: () => void }) => {
  const [name, setName] = useState("")
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(["ide:read"])
  const [days, setDays] = useState<number>(90)
  const [selector, setSelector] = useState("")
  const [key, setKey] = useState<string | undefined>(undefined)
  const { busy, failure, submit } = useAction()
  const create = submit(async () => {
    const expiresAt = days === 0 ? null : Date.now() + days * dayMillis
    const made = await client.keys.create({ name, scopes: chosen as Array<Scope>, expiresAt, selector }, shownOnce)
    setKey(made.key)
    setName("")
    created()
  })
  return (
    <Section title="New key" says="A credential for a program. Give it no more than it needs.">
      {key !== undefined && <SecretOnce label="The new key." text={key} done={() => setKey(undefined)} />}
      <form onSubmit={create}>
        <Field label="Name" required maxLength={100} value={name} put={setName} />
        <Choices label="What it may do" all={scopes} chosen={chosen} put={setChosen} />
        <Field
          label="Only for daemons with these tags"
          placeholder="env=prod,gpu"
          hint="Empty: all of the account."
          value={selector}
          put={setSelector}
        />
        <ChoiceField label="It expires" of={lives} value={days} put={setDays} />
        <Failure text={failure} />
        <button type="submit" disabled={busy || chosen.length === 0}>
          {busy ? "Creating…" : "Create the key"}
        </button>
      </form>
    </Section>
  )
}

const Row = ({ record, revoked }: { readonly record: Key; readonly revoked: () => void }) => {
  const { busy, failure, run } = useAction()
  const revoke = () =>
    run(async () => {
      await client.keys.revoke({ keyId: record.id })
      revoked()
    })
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong>{record.name}</strong>
          <small class="soft">
            <code>{record.prefix}…</code> · {record.scopes.join(", ")}
          </small>
          {record.selector !== null && <small class="soft break">only {record.selector}</small>}
          <small class="soft">
            used <RelativeTime at={record.lastUsedAt} />, expires <RelativeTime at={record.expiresAt} />
          </small>
        </span>
        <Confirm
          label="Revoke"
          question={`Revoke ${record.name}?`}
          says="Programs that use it are refused within a second."
          busy={busy}
          act={revoke}
        />
      </div>
      <Failure text={failure} />
    </li>
  )
}

/** The view. */
export const Keys = () => {
  const pages = usePagedList(async (from, signal) => {
    const { apiKeys, nextCursor } = await client.keys.list({ limit: page, ...from }, { signal })
    return { rows: apiKeys, next: nextCursor }
  }, "")
  return (
    <Page title="API keys">
      <ul class="list" aria-label="API keys">
        {pages.rows?.map((record) => (
          <Row key={record.id} record={record} revoked={pages.reload} />
        ))}
      </ul>
      <ListEnd pages={pages} none="There is no key." />
      <p class="soft">
        A program shows you a code? <a href={linkTo("device")}>Give it a key of its own</a>
      </p>
      <NewKey created={pages.reload} />
    </Page>
  )
}
