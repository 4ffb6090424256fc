/** The browsers of who is signed in that are told of questions: this one, turned on and off, and the others. */
import { useState } from "preact/hooks"
import { Failure, Reading } from "../components/notices.tsx"
import { Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { canBeTold, ownBrowser, turnOff, turnOn } from "../state/push.ts"
import { client, session } from "../state/session.ts"

const impossible =
  "This browser shows no notifications of this page. Some do once the page is installed (on an iPhone: Share, Add to Home Screen)."

/** The section. */
export const Notifications = () => {
  const { value, failure, reload } = useFetched(async () => {
    const [own, { subscriptions }] = await Promise.all([ownBrowser(), client.pushSubscriptions.list()])
    return { subscriptions, own: subscriptions.find(({ id }) => id === own) }
  }, [])
  const [wish, setWish] = useState<boolean | undefined>(undefined)
  const { busy, failure: refused, run } = useAction()
  const change = (act: () => Promise<unknown>) => () => void run(act).then(reload)
  if (value === undefined) return failure === undefined ? <Reading /> : <Failure text={failure} again={reload} />
  const { own, subscriptions } = value
  const showsSubject = wish ?? own?.showsSubject ?? false
  const others = subscriptions.filter(({ id }) => id !== own?.id)
  return (
    <Section
      title="Notifications"
      says="A browser that is told shows what an agent asks, also while this page is closed, and answers it by its buttons without a sign-in. It is told until you sign out."
    >
      {canBeTold ? (
        <>
          <label class="choice">
            <input
              type="checkbox"
              checked={showsSubject}
              disabled={busy}
              onChange={({ currentTarget: { checked } }) => {
                setWish(checked)
                if (own !== undefined) change(() => turnOn(checked))()
              }}
            />
            <span>
              Show what a question is about{" "}
              <small class="soft">
                the command or the path, not its title alone: it may be seen on a locked screen
              </small>
            </span>
          </label>
          <div class="actions">
            {own === undefined ? (
              <button type="button" disabled={busy} onClick={change(() => turnOn(showsSubject))}>
                Tell this browser
              </button>
            ) : (
              <button
                type="button"
                class="quiet"
                disabled={busy}
                onClick={change(() => turnOff(session.value?.token ?? ""))}
              >
                Tell this browser no more
              </button>
            )}
          </div>
        </>
      ) : (
        <p>{impossible}</p>
      )}
      <Failure text={refused} />
      <p role="status">{own !== undefined && "This browser is told of questions."}</p>
      {others.length > 0 && (
        <ul class="list" aria-label="Other browsers that are told">
          {others.map(({ id, origin, createdAt }) => (
            <li key={id}>
              <span class="break">{origin}</span>{" "}
              <span class="soft">
                since <RelativeTime at={createdAt} />
              </span>{" "}
              <button
                type="button"
                class="quiet"
                disabled={busy}
                onClick={change(() => client.pushSubscriptions.remove({ pushSubscriptionId: id }))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
