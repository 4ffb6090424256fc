/** The apps that were let in by OAuth: their list, and the end of one. */
import type { Output } from "@hub/client"
import { Confirm } from "../components/dialog.tsx"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { client } from "../state/session.ts"

type App = Output<"connectedApps.list">["connectedApps"][number]

const Row = ({ app, gone }: { readonly app: App; readonly gone: () => void }) => {
  const { busy, failure, run } = useAction()
  const disconnect = () =>
    run(async () => {
      await client.connectedApps.disconnect({ appId: app.id })
      gone()
    })
  return (
    <li>
      <div class="row">
        <span class="grow">
          <strong>
            <bdi>{app.name}</bdi>
          </strong>
          <small class="soft break">
            {app.redirectHost} · {app.scopes.join(", ")}
          </small>
          {app.selector !== null && <small class="soft break">only {app.selector}</small>}
          <small class="soft">
            used <RelativeTime at={app.lastUsedAt} />, connected <RelativeTime at={app.createdAt} />, ends{" "}
            <RelativeTime at={app.expiresAt} /> unless used ·{" "}
            <a href={`${linkTo("requests")}?key=${app.id}`}>its requests</a>
          </small>
        </span>
        <Confirm
          label="Disconnect"
          question={`Disconnect ${app.name}?`}
          says="It is refused within two seconds, and what it waits for ends."
          busy={busy}
          act={disconnect}
        />
      </div>
      <Failure text={failure} />
    </li>
  )
}

/** The view. */
export const Apps = () => {
  const { value, failure, reload } = useFetched((signal) => client.connectedApps.list({}, { signal }), [])
  return (
    <Page title="Connected apps">
      <Failure text={failure} again={reload} />
      <ul class="list" aria-label="Connected apps">
        {value?.connectedApps.map((app) => (
          <Row key={app.id} app={app} gone={reload} />
        ))}
      </ul>
      {value === undefined && failure === undefined && <Reading />}
      {value?.connectedApps.length === 0 && <Empty>No app is connected.</Empty>}
      <p class="soft">
        <a href={linkTo("connect-agent")}>How to connect an agent</a>
      </p>
    </Page>
  )
}
