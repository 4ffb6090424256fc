/** The people of the account: who may do what, members and their roles, invitations that wait, a new one. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Confirm } from "../components/dialog.tsx"
import { ChoiceField, Field } from "../components/field.tsx"
import { Failure, ListEnd } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { SecretOnce } from "../components/secret-once.tsx"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { givable, may, me, type Role, roles } from "../state/membership.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client, shownOnce } from "../state/session.ts"
import { useStore } from "../state/store.ts"

type Member = Output<"members.list">["members"][number]
type Invitation = Output<"members.invitations">["invitations"][number]

const page = 50

const deeds: ReadonlyArray<readonly [deed: string, least: Role]> = [
  ["See machines, agents, chats and events", "viewer"],
  ["Have API keys of their own, with no more than they may", "viewer"],
  ["Command machines and agents, start jobs", "operator"],
  ["Webhooks, join keys, tags, tokens, versions, policies", "admin"],
  ["All API keys, the audit log, everybody's requests", "admin"],
  ["Invite and change members up to their own role, service accounts", "admin"],
  ["Make and unmake owners", "owner"]
]

const WhoMayWhat = () => (
  <Section title="Who can do what">
    <table class="roles">
      <thead>
        <tr>
          <th scope="col">What</th>
          {roles.map((role) => (
            <th key={role} scope="col">
              {role}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {deeds.map(([deed, least]) => (
          <tr key={deed}>
            <th scope="row">{deed}</th>
            {roles.map((role) => (
              <td key={role}>{roles.indexOf(role) >= roles.indexOf(least) ? "yes" : "–"}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Section>
)

/** The roles that who is signed in may give. */
const useGivable = () => givable(useStore(me)).map((role) => [role, role] as const)

const tagHint = "Empty: all of the account. For viewers and operators."

const Invite = ({ invited }: { readonly invited: () => void }) => {
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("viewer")
  const [selector, setSelector] = useState("")
  const [url, setUrl] = useState<string | undefined>(undefined)
  const all = useGivable()
  const { busy, failure, submit } = useAction()
  const invite = submit(async () => {
    const made = await client.members.invite({ email, role, selector }, shownOnce)
    setUrl(made.url && new URL(made.url, location.origin).href)
    setEmail("")
    invited()
  })
  return (
    <Section
      title="Invite a person"
      says="The hub sends no mail: copy the link, and hand it over. It is good once, for 7 days."
    >
      {url !== undefined && <SecretOnce label="The link." text={url} done={() => setUrl(undefined)} />}
      <form onSubmit={invite}>
        <Field label="E-mail" type="email" required maxLength={320} value={email} put={setEmail} />
        <ChoiceField label="Role" of={all} value={role} put={setRole} />
        <Field
          label="Only daemons with these tags"
          placeholder="env=prod,gpu"
          hint={tagHint}
          value={selector}
          put={setSelector}
        />
        <Failure text={failure} />
        <button type="submit" disabled={busy}>
          {busy ? "Inviting…" : "Make the link"}
        </button>
      </form>
    </Section>
  )
}

interface MemberRowProps {
  readonly member: Member
  readonly changed: () => void
}

const ChangeMember = ({ member, changed }: MemberRowProps) => {
  const [role, setRole] = useState<Role>(member.role)
  const [selector, setSelector] = useState(member.selector ?? "")
  const all = useGivable()
  const { busy, failure, submit } = useAction()
  const save = submit(async () => {
    await client.members.change({ personId: member.personId, role, selector })
    changed()
  })
  return (
    <details>
      <summary>Change</summary>
      <form onSubmit={save}>
        <ChoiceField label={`Role of ${member.email}`} of={all} value={role} put={setRole} />
        <Field label="Only daemons with these tags" hint={tagHint} value={selector} put={setSelector} />
        <Failure text={failure} />
        <button type="submit" disabled={busy}>
          Save
        </button>
      </form>
    </details>
  )
}

const MemberRow = ({ member, changed }: MemberRowProps) => {
  const who = useStore(me)
  const { busy, failure, run } = useAction()
  const isOwn = who?.person?.id === member.personId
  const mayChange = may(who, member.role === "owner" ? "owner" : "admin")
  const remove = () =>
    run(async () => {
      await client.members.remove({ personId: member.personId })
      changed()
    })
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong class="break">{member.email}</strong>
          <small class="soft">
            {member.role}
            {isOwn && ", you"}, since <RelativeTime at={member.since} />
          </small>
          {member.selector !== null && <small class="soft break">only {member.selector}</small>}
        </span>
        {(mayChange || isOwn) && (
          <Confirm
            label={isOwn ? "Leave" : "Remove"}
            question={isOwn ? "Leave this account?" : `Remove ${member.email}?`}
            says="Sessions and API keys end. Machines, webhooks, jobs and join keys stay: they are the account's."
            busy={busy}
            act={remove}
          />
        )}
      </div>
      {mayChange && <ChangeMember key={`${member.role} ${member.selector}`} member={member} changed={changed} />}
      <Failure text={failure} />
    </li>
  )
}

const Waiting = ({ one, gone }: { readonly one: Invitation; readonly gone: () => void }) => {
  const { busy, failure, run } = useAction()
  const takeBack = () =>
    run(async () => {
      await client.members.uninvite({ invitationId: one.id })
      gone()
    })
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong class="break">{one.email}</strong>
          <small class="soft">
            {one.role}, until <RelativeTime at={one.expiresAt} />
          </small>
        </span>
        <Confirm
          label="Take back"
          question={`Take the invitation of ${one.email} back?`}
          says="Its link is good for nothing from then on."
          busy={busy}
          act={takeBack}
        />
      </div>
      <Failure text={failure} />
    </li>
  )
}

const Invitations = () => {
  const { value, failure, reload } = useFetched((signal) => client.members.invitations({}, { signal }), [])
  return (
    <>
      <Section title="Invitations that wait">
        <Failure text={failure} again={reload} />
        <ul class="list" aria-label="Invitations">
          {value?.invitations.map((one) => (
            <Waiting key={one.id} one={one} gone={reload} />
          ))}
        </ul>
        {value?.invitations.length === 0 && <p class="soft">None.</p>}
      </Section>
      <Invite invited={reload} />
    </>
  )
}

/** The view. */
export const People = () => {
  const who = useStore(me)
  const pages = usePagedList(async (from, signal) => {
    const { members, nextCursor } = await client.members.list({ limit: page, ...from }, { signal })
    return { rows: members, next: nextCursor }
  }, "")
  return (
    <Page title="People">
      <ul class="list" aria-label="Members">
        {pages.rows?.map((member) => (
          <MemberRow key={member.personId} member={member} changed={pages.reload} />
        ))}
      </ul>
      <ListEnd pages={pages} none="There is no member." />
      {who !== undefined && may(who, "admin") && <Invitations />}
      <WhoMayWhat />
    </Page>
  )
}
