/** Lets an app in that sent its person here (OAuth): who asks, where the answer goes, what it would be able to do. */
import { type Output, Refused } from "@hub/client"
import { useState } from "preact/hooks"
import { Choices, Field } from "../components/field.tsx"
import { Done, Failure, Reading } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { linkTo } from "../routing.ts"
import type { Scope } from "../scopes.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { me } from "../state/membership.ts"
import { client, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"

type Asked = Output<"connectedApps.show">

/** The query of the request, as the app gave it to the browser. */
const queryOfPage = (): string => /\?(.*)$/su.exec(location.hash)?.[1] ?? ""

const vouchedBy = ({ clientId }: Asked): string =>
  clientId.startsWith("https://") ? `as described at ${new URL(clientId).host}` : "as registered with this hub"

const Place = ({ asked: { name, redirectHost, redirectKind } }: { readonly asked: Asked }) => (
  <>
    <p>
      The answer goes to <strong class="break">{redirectHost}</strong>.
    </p>
    {redirectKind !== "web" && (
      <div class="note warn">
        <span>
          That is a program on this computer. Any program here can call itself <bdi>{name}</bdi>: go on only if you have
          just started it yourself.
        </span>
      </div>
    )}
  </>
)

interface DecisionProps {
  readonly asked: Asked
  readonly query: string
  readonly leave: (to: string) => void
}

/** What the app asks for. What only reads is chosen; what acts, its person chooses. */
const Decision = ({ asked, query, leave }: DecisionProps) => {
  const reading = asked.scopes.filter(({ readsOnly }) => readsOnly).map(({ name }) => name)
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(reading)
  const [selector, setSelector] = useState("")
  const [offline, setOffline] = useState(asked.offline)
  const { busy, failure, run, submit } = useAction()
  const who = useStore(session)
  const account = useStore(me)?.account.email
  const approve = submit(async () => {
    const given = { query, scopes: chosen as Array<Scope>, selector, offline }
    leave((await client.connectedApps.approve(given)).location)
  })
  const deny = () => run(async () => leave((await client.connectedApps.deny({ query })).location))
  return (
    <form onSubmit={approve}>
      <p>
        <strong>
          <bdi>{asked.name}</bdi>
        </strong>{" "}
        ({vouchedBy(asked)}) asks to act for <strong>{who?.email}</strong>
        {account !== undefined && account !== who?.email && (
          <>
            {" "}
            in the account of <strong>{account}</strong>
          </>
        )}{" "}
        at <span class="break">{new URL(asked.issuer).host}</span>. Refuse what you did not begin yourself.
      </p>
      <Place asked={asked} />
      <Choices label="What it may do" all={asked.scopes} chosen={chosen} put={setChosen} />
      <Field
        label="Only on daemons with these tags"
        placeholder="env=prod,gpu"
        hint="Empty: all of the account."
        value={selector}
        put={setSelector}
      />
      {asked.offline && (
        <label class="choice">
          <input
            type="checkbox"
            checked={offline}
            onChange={({ currentTarget }) => setOffline(currentTarget.checked)}
          />
          <span>
            It stays connected <small class="soft">until it is not used for 30 days; else for an hour</small>
          </span>
        </label>
      )}
      <Failure text={failure} />
      <div class="actions">
        <button type="submit" disabled={busy || chosen.length === 0}>
          Allow
        </button>
        <button type="button" class="danger" disabled={busy} onClick={() => void deny()}>
          Refuse
        </button>
      </div>
    </form>
  )
}

/** A request that cannot be granted. `location`: where the app would be told so. */
interface Unfit {
  readonly because: string
  readonly location: string | undefined
}

const read = async (query: string, signal: AbortSignal): Promise<Asked | Unfit> => {
  try {
    return await client.connectedApps.show({ query }, { signal })
  } catch (error) {
    if (!(error instanceof Refused) || error.problem?.reason !== "AUTHORIZATION_REFUSED") throw error
    return { because: error.problem.error, location: error.problem.location }
  }
}

/** The person is not sent on unasked: any site could be behind the address of an unknown app. */
const Refusal = ({ because, location: place, leave }: Unfit & Pick<DecisionProps, "leave">) => (
  <>
    <Failure text={because} />
    {place !== undefined && (
      <button type="button" class="quiet" onClick={() => leave(place)}>
        Tell the app, at {new URL(place).host}
      </button>
    )}
  </>
)

const Request = ({ query }: { readonly query: string }) => {
  const [isDone, setDone] = useState(false)
  const { value, failure, reload } = useFetched((signal) => read(query, signal), [query])
  const leave = (to: string) => {
    setDone(true)
    location.assign(to)
  }
  if (isDone) {
    return (
      <Page title="Connect an app">
        <Done>
          The app has its answer, and you can close this page. <a href={linkTo("apps")}>All connected apps</a>
        </Done>
      </Page>
    )
  }
  return (
    <Page title="Connect an app">
      <Failure text={failure} again={reload} />
      {value !== undefined &&
        ("because" in value ? (
          <Refusal {...value} leave={leave} />
        ) : (
          <Decision asked={value} query={query} leave={leave} />
        ))}
      {value === undefined && failure === undefined && <Reading />}
    </Page>
  )
}

/** The view. A further request in the same tab begins anew. */
export const Authorize = () => {
  const query = queryOfPage()
  return <Request key={query} query={query} />
}
