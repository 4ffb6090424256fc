/** What may be done with the daemons that are chosen in the list: tags for all, or a job. */
import { Refused } from "@hub/client"
import { useState } from "preact/hooks"
import { Failure } from "../components/notices.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { chooseNone, chosenDaemons, tagChanges } from "../state/chosen-daemons.ts"
import { may, me } from "../state/membership.ts"
import { withRecentLogin } from "../state/recent-login.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"

const isGone = (error: unknown): boolean => error instanceof Refused && error.reason === "NOT_FOUND"

/** One after the other: a machine that is gone meanwhile stops none of the others. */
const tagAll = async (
  ids: ReadonlySet<string>,
  tags: Readonly<Record<string, string | null>>,
  done: (count: number) => void
): Promise<void> => {
  const failures: Array<unknown> = []
  let count = 0
  for (const daemonId of ids) {
    await withRecentLogin(() => client.tags.merge({ daemonId, tags })).catch((error: unknown) => {
      // nothing was done, and it would be refused again for each
      if (count === 0 && !isGone(error)) throw error
      failures.push(error)
    })
    done(++count)
  }
  if (failures.length > 0) throw failures[0]
}

/** The bar; nothing while none is chosen. */
export const ChosenDaemons = ({ changed }: { readonly changed: () => void }) => {
  const chosen = useStore(chosenDaemons)
  const [typed, setTyped] = useState("")
  const [done, setDone] = useState(0)
  const { busy, failure, submit } = useAction()
  const who = useStore(me)
  if (chosen.size === 0) return null
  const tag = submit(async () => {
    await tagAll(chosen, tagChanges(typed), setDone)
    setTyped("")
    changed()
  })
  return (
    <section class="chosen" aria-label="Chosen machines">
      <form class="row" onSubmit={tag}>
        <strong role="status">{busy ? `${done} of ${chosen.size}…` : `${chosen.size} chosen`}</strong>
        {may(who, "admin") && (
          <>
            <input
              class="grow"
              aria-label="Tags for the chosen"
              placeholder="Tags: env=prod gpu old-"
              required
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
            <button type="submit" disabled={busy}>
              Tag
            </button>
          </>
        )}
        {may(who, "operator") && (
          <>
            <a class="button" href={linkTo("terminals")}>
              Terminals
            </a>
            <a class="button" href={`${linkTo("jobs")}?chosen=1`}>
              Run a job
            </a>
          </>
        )}
        <button type="button" class="quiet" disabled={busy} onClick={chooseNone}>
          Choose none
        </button>
      </form>
      <Failure text={failure} />
    </section>
  )
}
