/** Runs terminal commands on a daemon, or the same one on several at once, and keeps the last ones in sight. */
import { useRef, useState } from "preact/hooks"
import { Empty, Failure } from "../components/notices.tsx"
import { Page, Section } from "../components/page.tsx"
import { runsShownMax, terminalsMax } from "../limits.ts"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { chosenDaemons } from "../state/chosen-daemons.ts"
import { client, onOtherOwner } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { type Ran, TerminalRun } from "./terminal-run.tsx"

/** What was typed before, the newest last; it goes with the tab, and with who typed it. */
const typedBefore: Array<string> = []
onOtherOwner(() => typedBefore.splice(0))

const remember = (command: string): void => {
  if (typedBefore.at(-1) === command) return
  typedBefore.push(command)
  if (typedBefore.length > runsShownMax) typedBefore.shift()
}

interface PromptProps {
  readonly disabled: boolean
  readonly run: (command: string) => void
}

/** The box: the arrows bring what was typed before. */
const Prompt = ({ disabled, run }: PromptProps) => {
  const [command, setCommand] = useState("")
  const back = useRef(0)
  const step = (by: number): void => {
    back.current = Math.max(0, Math.min(typedBefore.length, back.current + by))
    setCommand(back.current === 0 ? "" : typedBefore.at(-back.current)!)
  }
  return (
    <form
      class="inline wide"
      onSubmit={(event) => {
        event.preventDefault()
        back.current = 0
        remember(command)
        run(command)
      }}
    >
      <input
        class="mono"
        aria-label="Command"
        placeholder="uname -a"
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        required
        value={command}
        onInput={(event) => setCommand(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return
          event.preventDefault()
          step(event.key === "ArrowUp" ? 1 : -1)
        }}
      />
      <button type="submit" disabled={disabled}>
        Run
      </button>
    </form>
  )
}

interface TerminalProps {
  readonly daemonId: string
  readonly online: boolean
  readonly ended: () => void
}

/** The part of the daemon's view. */
export const Terminal = ({ daemonId, online, ended }: TerminalProps) => {
  const [runs, setRuns] = useState<ReadonlyArray<Ran>>([])
  const { busy, failure, run } = useAction()
  const start = (command: string) => {
    void run(async () => {
      const { commandId } = await client.daemons.terminal({ daemonId, command }, { respondAsync: true })
      setRuns((before) => [{ commandId, command }, ...before].slice(0, runsShownMax))
    })
  }
  return (
    <Section title="Terminal">
      <Prompt disabled={busy || !online} run={start} />
      <Failure text={failure} />
      {runs.map((ran) => (
        <TerminalRun key={ran.commandId} ran={ran} ended={ended} />
      ))}
    </Section>
  )
}

/** The view of several: one command for all that are chosen, each with its output. */
export const Terminals = () => {
  const chosen = [...useStore(chosenDaemons)]
  const shown = chosen.slice(0, terminalsMax)
  const [runs, setRuns] = useState<ReadonlyArray<Ran>>([])
  const { busy, failure, run } = useAction()
  const start = (command: string) => {
    void run(async () => {
      setRuns([])
      const started = await Promise.allSettled(
        shown.map(async (daemonId): Promise<Ran> => {
          const { commandId } = await client.daemons.terminal({ daemonId, command }, { respondAsync: true })
          return { commandId, command, where: daemonId }
        })
      )
      setRuns(started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])))
      const refused = started.find((one) => one.status === "rejected")
      if (refused !== undefined) throw refused.reason
    })
  }
  return (
    <Page title="Terminals" above={<a href={linkTo("daemons")}>Daemons</a>}>
      {shown.length === 0 ? (
        <Empty>Choose machines in the list first.</Empty>
      ) : (
        <>
          <p class="soft">
            {`Runs on ${shown.length} machines at once.`}
            {chosen.length > shown.length && ` ${chosen.length} are chosen: for so many make a job.`}
          </p>
          <Prompt disabled={busy} run={start} />
        </>
      )}
      <Failure text={failure} />
      {runs.map((ran) => (
        <TerminalRun key={ran.commandId} ran={ran} ended={() => undefined} />
      ))}
    </Page>
  )
}
