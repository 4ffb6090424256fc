/**
 * `hub job …`: starts one command for many daemons, follows it, and shows what became of each. Owns the words of the
 * command line for a job; job-progress.ts follows one.
 */
import type { HubClient, Input, Output } from "../client/src/index.ts"
import { ArgumentError, type Flags, refuseNumber, type Values } from "../src/cli/arguments.ts"
import { readBody } from "./call.ts"
import { givenNumber, givenTimeToCome, listed, present } from "./given-values.ts"
import { countsOf, followJob } from "./job-progress.ts"
import { type Caller, type Verbs, verb } from "./verbs.ts"

type Job = Output<"jobs.get">
type JobRequest = Input<"jobs.start">
type Rollout = NonNullable<JobRequest["rollout"]>
type Target = Output<"jobs.targets">["targets"][number]

const number = { kind: "number", refuse: refuseNumber() } as const
const follow = { kind: "switch", says: "show its progress, and end with it (1 unless all succeeded)" } as const

const pace = {
  name: { kind: "text", says: "what it is for" },
  "per-minute": { ...number, says: "commands sent per minute" },
  concurrency: { ...number, says: "commands under way at once (default: 100)" },
  "abort-after": { ...number, says: "send nothing more after so many failures" },
  "ok-codes": { kind: "list", says: "exit codes that are no failure, with commas (default: 0)" },
  steps: { kind: "list", says: "some first: 10:15,25%:60 is ten, 15 minutes later a quarter, an hour later all" },
  timeout: { ...number, says: "seconds that each command may take" },
  expires: { kind: "date", says: "until when daemons that are offline are waited for (default: 1d)" }
} as const satisfies Flags

const stepOf = (text: string): NonNullable<Rollout["steps"]>[number] => {
  const match = /^(\d+)(%?)(?::(\d+))?$/u.exec(text)
  if (match === null) throw new ArgumentError(`--steps is of COUNT:MINUTES or PERCENT%:MINUTES, not ${text}`)
  const [, size, percent, hold] = match
  const first = percent === "%" ? { percent: Number(size) } : { count: Number(size) }
  return hold === undefined ? first : { ...first, holdMinutes: Number(hold) }
}

const codeOf = (text: string): number => {
  if (/^\d{1,3}$/u.test(text)) return Number(text)
  throw new ArgumentError(`--ok-codes is of exit codes with commas, such as 0,3, not ${text}`)
}

/** The members of a job's request that say how fast, how long and under which name. */
const paceOf = (given: Values<typeof pace>) => {
  const { name, "ok-codes": codes, steps } = given
  const rollout = present({
    perMinute: givenNumber("per-minute", given["per-minute"]),
    concurrency: givenNumber("concurrency", given.concurrency),
    abortAfterFailures: givenNumber("abort-after", given["abort-after"]),
    successExitCodes: codes === undefined ? undefined : codes.split(",").map(codeOf),
    steps: steps === undefined ? undefined : steps.split(",").map(stepOf)
  })
  return present({
    name,
    timeoutSeconds: givenNumber("timeout", given.timeout),
    expiresAt: givenTimeToCome("expires", given.expires),
    rollout: Object.keys(rollout).length === 0 ? undefined : rollout
  })
}

/** How many daemons a job is for. */
const targetsOf = ({ targets }: Pick<Job, "targets">): string => (targets === 1 ? "1 daemon" : `${targets} daemons`)

const lineOf = (job: Omit<Job, "counts">): string =>
  `${job.jobId}  ${job.state.padEnd(9)}  ${new Date(job.createdAt).toISOString()}  ${job.name ?? job.type}  ${targetsOf(job)}`

const lineOfCounts = (job: Job): ReadonlyArray<string> => (job.targets === 0 ? [] : [countsOf(job)])

const leftOutOf = ({ leftOut }: Job): ReadonlyArray<string> =>
  leftOut === null
    ? []
    : [`left out: ${leftOut.neverConnected} never connected, ${leftOut.away} away for longer than 30 days`]

/** What a started job is shown as: followed to its end, or its id and where to look. */
const started = async (job: Job, following: boolean, caller: Caller): Promise<boolean> => {
  if (following) {
    caller.terminal.complain(`${job.jobId}: ${targetsOf(job)}`)
    return followJob(job.jobId, caller)
  }
  caller.show(job, (one) => [lineOf(one), ...lineOfCounts(one), ...leftOutOf(one)])
  return true
}

const bodyOf = async (text: string | undefined): Promise<Partial<JobRequest>> => {
  const body = await readBody(text)
  if (body === undefined) return {}
  try {
    return JSON.parse(body) as Partial<JobRequest>
  } catch {
    throw new ArgumentError("--data is no JSON object")
  }
}

const start = verb({
  usage: "[COMMAND] --all | --selector TAGS | --daemon ID",
  says: "run a command in a terminal of many daemons, or what --data says",
  words: [0, 1],
  flags: {
    all: { kind: "switch", says: "all daemons that were connected within 30 days" },
    selector: { kind: "text", says: "those with these tags: env=prod,!spot" },
    daemon: { kind: "text", many: true, says: "this one; may be given more than once" },
    cwd: { kind: "folder", says: "in this folder of the machine" },
    data: { kind: "text", says: "the whole request as JSON, or its rest; @FILE reads a file, - standard input" },
    ...pace,
    follow
  },
  run: async (given, [command], caller) => {
    const asked = {
      ...(await bodyOf(given.data)),
      ...present({
        all: given.all === true ? true : undefined,
        selector: given.selector,
        daemonIds: given.daemon === undefined ? undefined : [...listed(given.daemon)]
      }),
      ...(command !== undefined && { type: "terminal_exec", payload: present({ command, cwd: given.cwd }) }),
      ...paceOf(given)
    } as JobRequest
    if (asked.type === undefined) throw new ArgumentError('COMMAND is missing: hub job start "uname -a" --all')
    if (asked.all === undefined && asked.selector === undefined && asked.daemonIds === undefined) {
      throw new ArgumentError("it is not said which daemons: give --all, --selector env=prod or --daemon ID")
    }
    return started(await caller.withKey((client) => client.jobs.start(asked)), given.follow === true, caller)
  }
})

const which = {
  state: { kind: "text", says: "only in this state: failed, running, lost, …" },
  "exit-code": { kind: "text", says: "only with this exit code, or nonzero" }
} as const satisfies Flags

const filterOf = (jobId: string, given: Values<typeof which>) =>
  ({ jobId, ...present({ state: given.state, exitCode: given["exit-code"] }) }) as Input<"jobs.targets">

const exitOf = ({ exitCode }: Target): string => (exitCode == null ? "" : `  exit ${exitCode}`)
const targetLine = (one: Target): string =>
  `${one.daemonId}  ${one.state.padEnd(9)}${exitOf(one)}${one.error === undefined ? "" : `  ${one.error}`}`

/** Shows every item of all pages, each on its line. */
const showAll = async <A>(
  caller: Caller,
  pages: (client: HubClient) => AsyncIterable<A>,
  line: (one: A) => string
): Promise<void> =>
  caller.withKey(async (client) => {
    for await (const one of pages(client)) caller.show(one, (shown) => [line(shown)])
  })

export const jobVerbs: Verbs = {
  start,
  list: verb({
    usage: "[--state running]",
    says: "the account's jobs, the latest first",
    words: [0, 0],
    flags: { state: { kind: "text", says: "only in this state: running, completed, aborted, cancelled, expired" } },
    run: ({ state }, _, caller) =>
      showAll(caller, (client) => client.jobs.list(present({ state }) as Input<"jobs.list">), lineOf)
  }),
  show: verb({
    usage: "JOB [--follow]",
    says: "its state and counts",
    words: [1, 1],
    flags: { follow },
    run: async (given, [jobId], caller) =>
      started(await caller.withKey((client) => client.jobs.get({ jobId: jobId! })), given.follow === true, caller)
  }),
  targets: verb({
    usage: "JOB [--state failed]",
    says: "what became of each daemon",
    words: [1, 1],
    flags: which,
    run: (given, [jobId], caller) =>
      showAll(caller, (client) => client.jobs.targets(filterOf(jobId!, given)), targetLine)
  }),
  results: verb({
    usage: "JOB [--state failed]",
    says: "all that the daemons answered, one JSON value a line",
    words: [1, 1],
    flags: which,
    run: (given, [jobId], caller) =>
      caller.withKey(async (client) => {
        for await (const one of client.jobs.results(filterOf(jobId!, given))) caller.terminal.sayJson(one)
      })
  }),
  retry: verb({
    usage: "JOB [--follow]",
    says: "the same for those that failed, timed out or were lost",
    words: [1, 1],
    flags: { data: { kind: "text", says: "other members as JSON, such as the payload" }, ...pace, follow },
    run: async (given, [jobId], caller) => {
      const asked = { ...(await bodyOf(given.data)), ...paceOf(given), jobId: jobId! } as Input<"jobs.retry">
      return started(await caller.withKey((client) => client.jobs.retry(asked)), given.follow === true, caller)
    }
  }),
  cancel: verb({
    usage: "JOB",
    says: "send nothing more, and ask what is under way to end",
    words: [1, 1],
    flags: {},
    run: async (_, [jobId], caller) =>
      caller.show(await caller.withKey((client) => client.jobs.cancel({ jobId: jobId! })), (answer) => [
        `${jobId} ${answer.state}`
      ])
  })
}
