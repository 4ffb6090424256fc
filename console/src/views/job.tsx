/** One job: how far it is, what failed where, with its output; stopped, or tried again where it failed. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Confirm } from "../components/dialog.tsx"
import { Failure, Reading } from "../components/notices.tsx"
import { Page, Refresh } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { useFetched } from "../state/fetched.ts"
import { useEvents } from "../state/live-events.ts"
import { client } from "../state/session.ts"
import { JobTargets } from "./job-targets.tsx"

type Job = Output<"jobs.get">

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
      actions={<Refresh act={again} />}
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
          <JobTargets jobId={jobId} turn={turn} />
        </>
      )}
    </Page>
  )
}
