/** Follows a job to its end: its counts as the live stream tells them, and a look now and then. Owns what is said. */
import type { Output } from "../client/src/index.ts"
import { follow } from "./follow.ts"
import type { Caller } from "./verbs.ts"

type Job = Output<"jobs.get">

/** So often it is looked at beside the stream: an event can be lost between two nodes, that of its end too. */
const lookMillis = 30_000

/** The counts that are not zero: `27 succeeded, 3 failed`. */
export const countsOf = ({ counts }: Pick<Job, "counts">): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state.replace("_", " ")}`)
    .join(", ")

/** Shows the job's counts until it has ended, then the job; gives whether it completed and every target succeeded. */
export const followJob = async (jobId: string, caller: Caller): Promise<boolean> => {
  const { profile, terminal } = caller
  const over = new AbortController()
  const signal = AbortSignal.any([terminal.signal, over.signal])
  let told = ""
  let failed: unknown
  const tell = (of: Pick<Job, "counts">): void => {
    const line = countsOf(of)
    if (line !== told) terminal.complain(line)
    told = line
  }
  let last: Job | undefined
  const look = async (): Promise<void> => {
    last = await caller.withKey((client) => client.jobs.get({ jobId }, { signal }))
    tell(last)
    if (last.state !== "running") over.abort()
  }
  // it may have ended before the stream began
  const opened = (): void => {
    look().catch((error: unknown) => {
      if (signal.aborted) return
      failed = error
      over.abort()
    })
  }
  const lookAgain = async (): Promise<void> => {
    for (await terminal.pause(lookMillis); !signal.aborted; await terminal.pause(lookMillis))
      await look().catch(() => undefined)
  }
  void lookAgain()
  const following = { events: ["job:progress", "job:completed"], daemons: [], after: undefined }
  try {
    await follow(
      profile,
      following,
      { ...terminal, signal },
      async ({ data }) => {
        if (data.event !== "job:progress" && data.event !== "job:completed") return
        if (data.payload.jobId !== jobId) return
        if (data.event === "job:completed") await look()
        else tell(data.payload)
      },
      opened
    )
  } catch (error) {
    if (!signal.aborted) throw error
  }
  if (failed !== undefined) throw failed
  if (last === undefined || terminal.signal.aborted) return false
  caller.show(last, (job) => [`${job.jobId} ${job.state}: ${countsOf(job)}`])
  return last.state === "completed" && last.counts.succeeded === last.targets
}
