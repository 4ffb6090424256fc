/** One job: how far it is, what failed where, with its output; stopped, or tried again where it failed. */
import type { Input, Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Confirm } from "../components/dialog.tsx"
import { ListEnd } from "../components/list-end.tsx"
import { Failure, Reading } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { TextBlock } from "../components/text-block.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { useEvents } from "../state/live-events.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"

type Job = Output<"jobs.get">
type Target = Output<"jobs.targets">["targets"][number]
type State = NonNullable<Input<"jobs.targets">["state"]>

const page = 50

const Target = ({ target }: { readonly target: Target }) => {
  const { daemonId, state, error, exitCode, output, finishedAt } = target
  const text = output === undefined ? "" : output.tail === "" ? output.head : `${output.head}\n…\n${output.tail}`
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

const Targets = ({ jobId, turn }: { readonly jobId: string; readonly turn: number }) => {
  const [state, setState] = useState<State | "">("failed")
  const pages = usePagedList(async (cursor, signal) => {
    const asked = {
      jobId,
      limit: page,
      ...(state === "" ? {} : { state }),
      ...(cursor === undefined ? {} : { cursor })
    }
    const { targets, nextCursor } = await client.jobs.targets(asked, { signal })
    return { rows: targets, next: nextCursor }
  }, `${jobId} ${state} ${turn}`)
  const states: ReadonlyArray<State> = ["failed", "running", "waiting", "succeeded", "timed_out", "lost", "skipped"]
  return (
    <Section title="Machines">
      <select
        aria-label="State of the machines"
        value={state}
        onChange={({ currentTarget }) => setState(currentTarget.value as typeof state)}
      >
        <option value="">All</option>
        {states.map((one) => (
          <option key={one} value={one}>
            {one.replaceAll("_", " ")}
          </option>
        ))}
      </select>
      <ul class="list" aria-label="Machines of the job">
        {pages.rows?.map((target) => (
          <Target key={target.daemonId} target={target} />
        ))}
      </ul>
      <ListEnd pages={pages} none="None is in this state." />
    </Section>
  )
}

const Actions = ({ job, changed }: { readonly job: Job; readonly changed: () => void }) => {
  const { busy, failure, run } = useAction()
  const cancel = () =>
    run(async () => {
      await client.jobs.cancel({ jobId: job.jobId })
      changed()
    })
  const retry = () =>
    run(async () => {
      const { jobId } = await client.jobs.retry({ jobId: job.jobId })
      location.hash = linkTo("jobs", jobId)
    })
  const { failed, timed_out: late, lost } = job.counts
  return (
    <>
      <div class="actions">
        {job.state === "running" && (
          <Confirm
            label="Stop"
            question="Stop the job?"
            says="Nothing more is sent. What runs is told to end."
            busy={busy}
            act={cancel}
          />
        )}
        {job.state !== "running" && failed + late + lost > 0 && (
          <button type="button" disabled={busy} onClick={() => void retry()}>
            Try the failed ones again
          </button>
        )}
      </div>
      <Failure text={failure} />
    </>
  )
}

/** The view. */
export const JobView = ({ jobId }: { readonly jobId: string }) => {
  const [turn, setTurn] = useState(0)
  const { value, failure, reload } = useFetched((signal) => client.jobs.get({ jobId }, { signal }), [jobId])
  const again = (): void => {
    reload()
    setTurn((before) => before + 1)
  }
  useEvents((event) => {
    if (event === "gap") return again()
    if (event.event.startsWith("job:") && "jobId" in event.payload && event.payload.jobId === jobId) again()
  })
  return (
    <Page
      title={value === undefined ? "Job" : (value.name ?? value.type.replaceAll("_", " "))}
      above={<a href={linkTo("jobs")}>Jobs</a>}
      beside={value !== undefined && <Badge state={value.state} />}
      actions={
        <button type="button" class="quiet" onClick={again}>
          Refresh
        </button>
      }
    >
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value !== undefined && (
        <>
          <dl class="facts">
            {Object.entries(value.counts)
              .filter(([, count]) => count > 0)
              .map(([state, count]) => (
                <>
                  <dt key={`${state}-name`}>{state.replaceAll("_", " ")}</dt>
                  <dd key={state}>{count}</dd>
                </>
              ))}
            <dt>began</dt>
            <dd>
              <RelativeTime at={value.createdAt} />
            </dd>
          </dl>
          <Actions job={value} changed={again} />
          <Targets jobId={jobId} turn={turn} />
        </>
      )}
    </Page>
  )
}
