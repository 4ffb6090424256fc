/** The page as a whole: signed out the sign-in, signed in the menu and the view that the address names. */
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { CommandPalette } from "./components/command-palette.tsx"
import { Choice } from "./components/field.tsx"
import { Failure } from "./components/notices.tsx"
import { Page } from "./components/page.tsx"
import { menu } from "./navigation.ts"
import { linkTo, type Route, route } from "./routing.ts"
import { useAction } from "./state/action.ts"
import { inbox } from "./state/approvals.ts"
import { liveState } from "./state/live-events.ts"
import { may, me, readMe } from "./state/membership.ts"
import { ownerOf, resuming, type Session, session, signOut, switchAccount } from "./state/session.ts"
import { useStore } from "./state/store.ts"
import { choose, theme } from "./state/theme.ts"
import { Apps } from "./views/apps.tsx"
import { Audit } from "./views/audit.tsx"
import { Authorize } from "./views/authorize.tsx"
import { ConnectAgent } from "./views/connect-agent.tsx"
import { DaemonView } from "./views/daemon.tsx"
import { Daemons } from "./views/daemons.tsx"
import { Device } from "./views/device.tsx"
import { Enrol } from "./views/enrol.tsx"
import { InboxView } from "./views/inbox.tsx"
import { Invited, InvitedStranger } from "./views/invitation.tsx"
import { JobView } from "./views/job.tsx"
import { Jobs } from "./views/jobs.tsx"
import { JoinKeys } from "./views/join-keys.tsx"
import { Keys } from "./views/keys.tsx"
import { People } from "./views/people.tsx"
import { Policies } from "./views/policies.tsx"
import { Requests } from "./views/requests.tsx"
import { ServiceAccounts } from "./views/service-accounts.tsx"
import { SessionView } from "./views/session.tsx"
import { Settings } from "./views/settings.tsx"
import { SignIn, SignInAgain } from "./views/sign-in.tsx"
import { Terminals } from "./views/terminal.tsx"
import { UsageView } from "./views/usage.tsx"
import { WebhookView } from "./views/webhook.tsx"
import { Webhooks } from "./views/webhooks.tsx"

const Unknown = () => (
  <Page title="No such page">
    <p>
      Nothing is at this address. <a href={linkTo("daemons")}>All daemons</a>
    </p>
  </Page>
)

const simple: Readonly<Record<string, ComponentType>> = {
  daemons: Daemons,
  approvals: InboxView,
  policies: Policies,
  jobs: Jobs,
  webhooks: Webhooks,
  keys: Keys,
  apps: Apps,
  authorize: Authorize,
  "connect-agent": ConnectAgent,
  "join-keys": JoinKeys,
  people: People,
  "service-accounts": ServiceAccounts,
  requests: Requests,
  audit: Audit,
  usage: UsageView,
  settings: Settings,
  terminals: Terminals,
  enrol: Enrol
}

/** The view of a route. */
const View = ({ words }: { readonly words: Route }) => {
  const [first = "", id, part, partId] = words
  if (first === "daemons" && id !== undefined) {
    if (part === "sessions" && partId !== undefined) return <SessionView daemonId={id} sessionId={partId} />
    return part === undefined ? <DaemonView daemonId={id} /> : <Unknown />
  }
  if (first === "jobs" && id !== undefined && part === undefined) return <JobView jobId={id} />
  if (first === "webhooks" && id !== undefined && part === undefined) return <WebhookView webhookId={id} />
  if (first === "invitation" && id !== undefined && part === undefined) return <Invited token={id} />
  if (first === "device" && part === undefined) return <Device code={id} />
  const Simple = id === undefined ? simple[first] : undefined
  return Simple === undefined ? <Unknown /> : <Simple />
}

const liveWords = {
  connecting: ["busy", "Connecting…"],
  open: ["good", "Live"],
  lost: ["warn", "Reconnecting…"],
  ended: ["bad", "Not live"]
} as const

const Live = () => {
  const [tone, words] = liveWords[useStore(liveState)]
  return (
    <span class={`badge ${tone}`} role="status">
      {words}
    </span>
  )
}

const themeWords = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"]
] as const

/** Where else the person belongs, for those who belong to several accounts. */
const AccountSwitch = ({ accountId }: { readonly accountId: string }) => {
  const { busy, failure, run } = useAction()
  const all = useStore(me)?.memberships ?? []
  if (all.length < 2) return null
  return (
    <>
      <select
        aria-label="Account"
        value={accountId}
        disabled={busy}
        onChange={({ currentTarget }) => void run(() => switchAccount(currentTarget.value))}
      >
        {all.map((one) => (
          <option key={one.accountId} value={one.accountId}>
            {one.email} ({one.role})
          </option>
        ))}
      </select>
      <Failure text={failure} />
    </>
  )
}

const Shell = ({ email, accountId }: Session) => {
  const words = useStore(route)
  const who = useStore(me)
  useEffect(() => {
    me.set(undefined)
    void readMe()
  }, [])
  const waiting = useStore(inbox).total
  useEffect(() => scrollTo(0, 0), [words])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href={linkTo("daemons")}>
          Console
        </a>
        <Live />
        <span class="spring" />
        <AccountSwitch accountId={accountId} />
        <span class="soft who">{email}</span>
        <Choice label="Theme" of={themeWords} value={useStore(theme)} put={choose} />
        <button type="button" class="quiet" onClick={() => void signOut()}>
          Sign out
        </button>
      </header>
      <nav class="menu" aria-label="Main">
        {menu
          .filter(({ role }) => role === undefined || may(who, role))
          .map(({ word, title }) => (
            <a key={word} href={linkTo(word)} aria-current={words[0] === word ? "page" : undefined}>
              {title}
              {word === "approvals" && waiting > 0 && <span class="badge warn">{waiting}</span>}
            </a>
          ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <View key={words.join("/")} words={words} />
      </main>
      <SignInAgain />
      <CommandPalette />
    </>
  )
}

/** The console. */
export const App = () => {
  const who = useStore(session)
  const isWaiting = useStore(resuming)
  const [first, token] = useStore(route)
  if (who !== undefined) return <Shell key={ownerOf(who)} {...who} />
  if (isWaiting) return null
  return first === "invitation" && token !== undefined ? <InvitedStranger token={token} /> : <SignIn />
}
