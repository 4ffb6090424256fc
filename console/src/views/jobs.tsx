/** The jobs of the account: what ran on many machines, and a new one. */
import type { Output } from "@hub/client"
import { useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Field } from "../components/field.tsx"
import { Failure, ListEnd } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { linkTo, queryOf } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { chosenDaemons } from "../state/chosen-daemons.ts"
import { useEvents } from "../state/live-events.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"

type Job = Output<"jobs.list">["jobs"][number]

const page = 50

const Row = ({ job }: { readonly job: Job }) => (
  <li>
    <a class="row" href={linkTo("jobs", job.jobId)}>
      <span class="grow">
        <strong class="break">{job.name ?? job.type.replaceAll("_", " ")}</strong>
        <small class="soft">
          {job.targets === 1 ? "1 machine" : `${job.targets} machines`} · <RelativeTime at={job.createdAt} />
        </small>
      </span>
      <Badge state={job.state} />
    </a>
  </li>
)

const NewJob = () => {
  const [name, setName] = useState("")
  const [command, setCommand] = useState("")
  const [selector, setSelector] = useState("")
  const chosen = useStore(chosenDaemons)
  const [ofChosen, setOfChosen] = useState(queryOf(location.hash).has("chosen") && chosen.size > 0)
  const [atOnce, setAtOnce] = useState("10")
  const [failures, setFailures] = useState("3")
  const { busy, failure, submit } = useAction()
  const start = submit(async () => {
    const { jobId } = await client.jobs.start({
      type: "terminal_exec",
      payload: { command },
      ...(name === "" ? {} : { name }),
      ...(ofChosen ? { daemonIds: [...chosen] } : selector === "" ? { all: true } : { selector }),
      rollout: { concurrency: Number(atOnce), ...(failures === "" ? {} : { abortAfterFailures: Number(failures) }) }
    })
    location.hash = linkTo("jobs", jobId)
  })
  return (
    <Section title="New job" says="Runs one command on many machines. An exit code other than 0 is a failure.">
      <form onSubmit={start}>
        <Field label="Name" maxLength={100} value={name} put={setName} />
        <Field label="Command" required placeholder="uname -a" value={command} put={setCommand} />
        {chosen.size > 0 && (
          <label class="inline">
            <input
              type="checkbox"
              checked={ofChosen}
              onChange={({ currentTarget }) => setOfChosen(currentTarget.checked)}
            />
            {`On the ${chosen.size} machines that are chosen`}
          </label>
        )}
        {!ofChosen && (
          <Field
            label="On the machines with these tags"
            placeholder="env=prod,gpu"
            hint="Empty: on all that were connected within 30 days."
            value={selector}
            put={setSelector}
          />
        )}
        <Field label="At once" inputMode="numeric" required value={atOnce} put={setAtOnce} />
        <Field
          label="Stop after so many failures"
          inputMode="numeric"
          hint="Empty: never."
          value={failures}
          put={setFailures}
        />
        <Failure text={failure} />
        <button type="submit" disabled={busy}>
          {busy ? "Starting…" : "Start the job"}
        </button>
      </form>
    </Section>
  )
}

/** The view. */
export const Jobs = () => {
  const pages = usePagedList(async (from, signal) => {
    const { jobs, nextCursor } = await client.jobs.list({ limit: page, ...from }, { signal })
    return { rows: jobs, next: nextCursor }
  }, "")
  useEvents((event) => {
    if (event === "gap" || event.event === "job:completed") pages.reload()
  })
  return (
    <Page title="Jobs">
      <ul class="list" aria-label="Jobs">
        {pages.rows?.map((job) => (
          <Row key={job.jobId} job={job} />
        ))}
      </ul>
      <ListEnd pages={pages} none="There is no job." />
      <NewJob />
    </Page>
  )
}
