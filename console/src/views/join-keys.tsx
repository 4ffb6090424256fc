/** The join keys of the account: by which machines enrol themselves, how many did, a new one, the end of one. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Confirm } from "../components/dialog.tsx"
import { ChoiceField, Field } from "../components/field.tsx"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { SecretOnce } from "../components/secret-once.tsx"
import { useAction } from "../state/action.ts"
import { tagWords } from "../state/daemon-list.ts"
import { useFetched } from "../state/fetched.ts"
import { client, shownOnce } from "../state/session.ts"

type JoinKey = Output<"joinKeys.list">["joinKeys"][number]

const dayMillis = 86_400_000

/** `env=prod,gpu`, as a machine's own command line reads it. */
const tagsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(",")
      .map((one) => one.trim().split("="))
      .filter(([key]) => key !== "")
      .map(([key = "", ...value]) => [key.trim(), value.join("=").trim()])
  )

const lives = [
  [1, "in a day"],
  [30, "in 30 days"],
  [365, "in a year"],
  [0, "never"]
] as const

const NewJoinKey = ({ created }: { readonly created: () => void }) => {
  const [name, setName] = useState("")
  const [tags, setTags] = useState("")
  const [uses, setUses] = useState("")
  const [days, setDays] = useState<number>(30)
  const [key, setKey] = useState<string | undefined>(undefined)
  const { busy, failure, submit } = useAction()
  const create = submit(async () => {
    const asked = {
      name,
      tags: tagsOf(tags),
      expiresAt: days === 0 ? null : Date.now() + days * dayMillis,
      ...(uses === "" ? {} : { maxUses: Number(uses) })
    }
    const made = await client.joinKeys.create(asked, shownOnce)
    setKey(made.key)
    setName("")
    created()
  })
  return (
    <Section
      title="New join key"
      says="It goes into an image or a start-up script: each machine with it enrols itself."
    >
      {key !== undefined && <SecretOnce label="The new join key." text={key} done={() => setKey(undefined)} />}
      <form onSubmit={create}>
        <Field label="Name" required maxLength={100} value={name} put={setName} />
        <Field
          label="Tags of the machines"
          placeholder="env=prod,gpu"
          hint="Yours: no machine changes them."
          value={tags}
          put={setTags}
        />
        <Field label="For how many machines" hint="Empty: any number." inputMode="numeric" value={uses} put={setUses} />
        <ChoiceField label="It expires" of={lives} value={days} put={setDays} />
        <Failure text={failure} />
        <button type="submit" disabled={busy}>
          {busy ? "Creating…" : "Create the join key"}
        </button>
      </form>
    </Section>
  )
}

const Row = ({ record, ended }: { readonly record: JoinKey; readonly ended: () => void }) => {
  const { busy, failure, run } = useAction()
  const { id, name, prefix, tags, uses, maxUses, expiresAt } = record
  const end = () =>
    run(async () => {
      await client.joinKeys.remove({ joinKeyId: id })
      ended()
    })
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong>{name}</strong>
          <small class="soft">
            <code>{prefix}…</code> · {uses} of {maxUses ?? "any number of"} machines
          </small>
          {Object.keys(tags).length > 0 && <small class="soft break">{tagWords(tags)}</small>}
          <small class="soft">
            expires <RelativeTime at={expiresAt} />
          </small>
        </span>
        <Confirm
          label="End"
          question={`End ${name}?`}
          says="No further machine joins by it. Those that joined stay."
          busy={busy}
          act={end}
        />
      </div>
      <Failure text={failure} />
    </li>
  )
}

/** The view. */
export const JoinKeys = () => {
  const { value, failure, reload } = useFetched(
    async (signal) => (await client.joinKeys.list({}, { signal })).joinKeys,
    []
  )
  return (
    <Page title="Join keys">
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value?.length === 0 && <Empty>There is no join key.</Empty>}
      <ul class="list" aria-label="Join keys">
        {value?.map((record) => (
          <Row key={record.id} record={record} ended={reload} />
        ))}
      </ul>
      <NewJoinKey created={reload} />
    </Page>
  )
}
