/** What became of each machine of a job, one by one or those alike together. */
import type { Input, Output } from "@hub/client"
import { useEffect, useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Choice } from "../components/field.tsx"
import { ListEnd } from "../components/notices.tsx"
import { Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { TextBlock } from "../components/text-block.tsx"
import { linkTo } from "../routing.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"
import { outputOf, targetsByOutcome } from "../state/targets-by-outcome.ts"

type Target = Output<"jobs.targets">["targets"][number]
type State = NonNullable<Input<"jobs.targets">["state"]>

const page = 100
const idsShownMax = 5

const shownStates: ReadonlyArray<State> = ["failed", "running", "waiting", "succeeded", "timed_out", "lost", "skipped"]
const states: ReadonlyArray<readonly [State | "", string]> = [
  ["", "All"],
  ...shownStates.map((one) => [one, one.replaceAll("_", " ")] as const)
]

const TargetRow = ({ target }: { readonly target: Target }) => {
  const { daemonId, state, error, exitCode, finishedAt } = target
  const text = outputOf(target)
  return (
    <li>
      <div class="row">
        <span class="grow">
          <a href={linkTo("daemons", daemonId)}>
            <code>{daemonId}</code>
          </a>
          {error !== undefined && <small class="soft break">{error}</small>}
          <small class="soft">
            <RelativeTime at={finishedAt} none="not ended" />
          </small>
        </span>
        {typeof exitCode === "number" && exitCode !== 0 && <span class="badge bad">exit {exitCode}</span>}
        <Badge state={state} />
      </div>
      {text !== "" && <TextBlock label={`Output of ${daemonId}`} text={text} />}
    </li>
  )
}

/** Those that ended alike, most first. */
const ByOutcome = ({ targets }: { readonly targets: ReadonlyArray<Target> }) => (
  <ul class="list" aria-label="Outputs of the job">
    {targetsByOutcome(targets).map(({ key, ids, like }) => (
      <li key={key}>
        <div class="row">
          <span class="grow">
            <strong>{ids.length === 1 ? "1 machine" : `${ids.length} machines`}</strong>
            <small class="soft break">
              {ids.slice(0, idsShownMax).join(", ") + (ids.length > idsShownMax ? ", …" : "")}
            </small>
          </span>
          {typeof like.exitCode === "number" && like.exitCode !== 0 && (
            <span class="badge bad">exit {like.exitCode}</span>
          )}
          <Badge state={like.state} />
        </div>
        {outputOf(like) !== "" && <TextBlock label={`Output of ${ids.length} machines`} text={outputOf(like)} />}
      </li>
    ))}
  </ul>
)

/** The part of the job's view; `turn`: another number where something has changed. */
export const JobTargets = ({ jobId, turn }: { readonly jobId: string; readonly turn: number }) => {
  const [state, setState] = useState<State | "">("failed")
  const [grouped, setGrouped] = useState(false)
  const pages = usePagedList(async (from, signal) => {
    const asked = {
      jobId,
      limit: page,
      ...(state === "" ? {} : { state }),
      ...from
    }
    const { targets, nextCursor } = await client.jobs.targets(asked, { signal })
    return { rows: targets, next: nextCursor }
  }, `${jobId} ${state}`)
  const { reload } = pages
  useEffect(() => {
    if (turn > 0) reload()
  }, [turn, reload])
  return (
    <Section title="Machines">
      <Choice label="State of the machines" of={states} value={state} put={setState} />
      <label class="inline">
        <input type="checkbox" checked={grouped} onChange={({ currentTarget }) => setGrouped(currentTarget.checked)} />
        Those with the same output together
      </label>
      {grouped ? (
        <ByOutcome targets={pages.rows ?? []} />
      ) : (
        <ul class="list" aria-label="Machines of the job">
          {pages.rows?.map((target) => (
            <TargetRow key={target.daemonId} target={target} />
          ))}
        </ul>
      )}
      <ListEnd pages={pages} none="None is in this state." />
    </Section>
  )
}
