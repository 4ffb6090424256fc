/** The targets of a job by how they ended. Pure. */
import type { Output } from "@hub/client"

type Target = Output<"jobs.targets">["targets"][number]

/** Those with one state, exit code, error and output. */
export interface TargetsOfOutcome {
  readonly key: string
  readonly ids: ReadonlyArray<string>
  /** One of them. */
  readonly like: Target
}

/** What it wrote, its middle left out where that is long. */
export const outputOf = ({ output }: Pick<Target, "output">): string => {
  if (output === undefined) return ""
  return output.tail === "" ? output.head : `${output.head}\n…\n${output.tail}`
}

/** The groups, the largest first. */
export const targetsByOutcome = (targets: ReadonlyArray<Target>): ReadonlyArray<TargetsOfOutcome> => {
  const groups = new Map<string, { key: string; ids: Array<string>; like: Target }>()
  for (const target of targets) {
    const { state, exitCode, error, daemonId } = target
    const key = JSON.stringify([state, exitCode, error, outputOf(target)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { key, ids: [daemonId], like: target })
    else group.ids.push(daemonId)
  }
  return [...groups.values()].sort((one, other) => other.ids.length - one.ids.length)
}
