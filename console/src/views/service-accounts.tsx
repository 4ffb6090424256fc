/** The service accounts: programs that are no person's, with the keys by which they act. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Confirm } from "../components/dialog.tsx"
import { ChoiceField, Field } from "../components/field.tsx"
import { Failure, ListEnd } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { SecretOnce } from "../components/secret-once.tsx"
import { useAction } from "../state/action.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client, shownOnce } from "../state/session.ts"

type ServiceAccount = Output<"serviceAccounts.list">["serviceAccounts"][number]
type ServiceRole = NonNullable<ServiceAccount["role"]>

const page = 50
const roles = (["viewer", "operator", "admin"] as const).map((role) => [role, role] as const)

const Create = ({ created }: { readonly created: () => void }) => {
  const [name, setName] = useState("")
  const [role, setRole] = useState<ServiceRole>("viewer")
  const [selector, setSelector] = useState("")
  const { busy, failure, submit } = useAction()
  const create = submit(async () => {
    await client.serviceAccounts.create({ name, role, selector })
    setName("")
    created()
  })
  return (
    <Section title="New service account" says="It stays when the person who made it leaves. It acts by its keys only.">
      <form onSubmit={create}>
        <Field label="Name" required maxLength={100} value={name} put={setName} />
        <ChoiceField label="Role" of={roles} value={role} put={setRole} />
        <Field
          label="Only for daemons with these tags"
          placeholder="env=prod,gpu"
          hint="Empty: all of the account. For viewers and operators."
          value={selector}
          put={setSelector}
        />
        <Failure text={failure} />
        <button type="submit" disabled={busy}>
          {busy ? "Creating…" : "Create the service account"}
        </button>
      </form>
    </Section>
  )
}

interface RowProps {
  readonly account: ServiceAccount
  readonly changed: () => void
}

const KeysOf = ({ account, changed }: RowProps) => {
  const [key, setKey] = useState<string | undefined>(undefined)
  const { busy, failure, run } = useAction()
  const { id: serviceAccountId, name, keys } = account
  const make = () =>
    run(async () => {
      const made = await client.serviceAccounts.createKey({ serviceAccountId }, shownOnce)
      setKey(made.key)
      changed()
    })
  const revoke = (keyId: string) =>
    run(async () => {
      await client.keys.revoke({ keyId })
      changed()
    })
  return (
    <>
      {key !== undefined && <SecretOnce label="The new key." text={key} done={() => setKey(undefined)} />}
      <ul class="list" aria-label={`Keys of ${name}`}>
        {keys.map((one) => (
          <li key={one.id} class="row">
            <span class="grow">
              <code>{one.id}</code>
              <small class="soft">
                used <RelativeTime at={one.lastUsedAt} />, expires <RelativeTime at={one.expiresAt} />
              </small>
            </span>
            <Confirm
              label="Revoke"
              question={`Revoke this key of ${name}?`}
              says="Programs that use it are refused within a second."
              busy={busy}
              act={() => revoke(one.id)}
            />
          </li>
        ))}
      </ul>
      <Failure text={failure} />
      <button type="button" class="quiet" disabled={busy} onClick={() => void make()}>
        New key of {name}
      </button>
    </>
  )
}

const Row = ({ account, changed }: RowProps) => {
  const { busy, failure, run } = useAction()
  const { id: serviceAccountId, name, role, scopes, selector, disabled, createdAt } = account
  const set = () =>
    run(async () => {
      await client.serviceAccounts.change({ serviceAccountId, disabled: !disabled })
      changed()
    })
  const remove = () =>
    run(async () => {
      await client.serviceAccounts.remove({ serviceAccountId })
      changed()
    })
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong class="break">{name}</strong>
          <small class="soft">
            {role ?? scopes.join(", ")}
            {disabled && ", disabled"}, made <RelativeTime at={createdAt} />
          </small>
          {selector !== null && <small class="soft break">only {selector}</small>}
        </span>
        <button type="button" class="quiet" disabled={busy} onClick={() => void set()}>
          {disabled ? `Enable ${name}` : `Disable ${name}`}
        </button>
        <Confirm
          label="Remove"
          question={`Remove ${name}?`}
          says="Its keys are refused within a second, and jobs that they started are cancelled."
          busy={busy}
          act={remove}
        />
      </div>
      <KeysOf account={account} changed={changed} />
      <Failure text={failure} />
    </li>
  )
}

/** The view. */
export const ServiceAccounts = () => {
  const pages = usePagedList(async (from, signal) => {
    const { serviceAccounts, nextCursor } = await client.serviceAccounts.list({ limit: page, ...from }, { signal })
    return { rows: serviceAccounts, next: nextCursor }
  }, "")
  return (
    <Page title="Service accounts">
      <ul class="list" aria-label="Service accounts">
        {pages.rows?.map((account) => (
          <Row key={account.id} account={account} changed={pages.reload} />
        ))}
      </ul>
      <ListEnd pages={pages} none="There is no service account." />
      <Create created={pages.reload} />
    </Page>
  )
}
