/** One terminal command that was started: its output while it is written, its end, and a button that ends it. */
import { type Output, Refused } from "@hub/client"
import { useEffect, useRef, useState } from "preact/hooks"
import { EndBadge } from "../components/badge.tsx"
import { Failure } from "../components/notices.tsx"
import { TextBlock } from "../components/text-block.tsx"
import { durationWords } from "../components/time-words.ts"
import { useAction } from "../state/action.ts"
import { afterOutput, noOutput, withText } from "../state/command-output.ts"
import { failureWords } from "../state/failure-words.ts"
import { follow } from "../state/follow-stream.ts"
import { client } from "../state/session.ts"
import { useThrottledState } from "../state/throttled-state.ts"

type Kept = Output<"commands.get">

/** What was started; `where`: on which machine, where several are shown. */
export interface Ran {
  readonly commandId: string
  readonly command: string
  readonly where?: string
}

interface TerminalResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

const resultOf = ({ result }: Kept): TerminalResult | undefined =>
  typeof result === "object" && result !== null && "stdout" in result ? (result as TerminalResult) : undefined

/** Follows the output, then asks for the end; a daemon that keeps no output gives it with the end. */
const useRun = ({ commandId }: Ran, ended: () => void) => {
  const [output, change] = useThrottledState(noOutput)
  const [kept, setKept] = useState<Kept | undefined>(undefined)
  const [failure, setFailure] = useState<string | undefined>(undefined)
  const done = useRef(ended)
  done.current = ended
  useEffect(() => {
    const controller = new AbortController()
    let isStreamed = true
    let stop: (() => void) | undefined
    const finish = async (): Promise<void> => {
      stop?.()
      try {
        const last = await client.commands.wait({ commandId }, { signal: controller.signal })
        const whole = resultOf(last)
        if (!isStreamed && whole !== undefined) change(() => withText(noOutput, whole.stdout + whole.stderr))
        setKept(last)
        done.current()
      } catch (error) {
        if (!controller.signal.aborted) setFailure(failureWords(error))
      }
    }
    stop = follow({
      open: (options) => client.commands.outputStream({ commandId, after: "0" }, options),
      item: (item) => {
        if (item.type === "event") change((before) => afterOutput(before, item.data))
        if (item.type === "end" || (item.type === "event" && item.data.type === "exit")) void finish()
      },
      state: () => undefined,
      failed: (error) => {
        isStreamed = !(error instanceof Refused)
        void finish()
      }
    })
    return () => {
      stop?.()
      controller.abort()
    }
  }, [commandId, change])
  return { output, kept, failure }
}

const endWords = (kept: Kept): string => {
  const code = resultOf(kept)?.exitCode
  const took = kept.durationMs === null ? "" : ` after ${durationWords(kept.durationMs)}`
  if (kept.error !== undefined) return `${kept.error}${took}`
  return code === undefined || code === null ? `Ended${took}` : `Exit code ${code}${took}`
}

/** The run. */
export const TerminalRun = ({ ran, ended }: { readonly ran: Ran; readonly ended: () => void }) => {
  const { output, kept, failure } = useRun(ran, ended)
  const cancel = useAction()
  return (
    <div class="run">
      <div class="heading">
        <code class="grow">
          {ran.where} $ {ran.command}
        </code>
        <EndBadge
          state={kept?.state ?? "pending"}
          exitCode={kept === undefined ? undefined : resultOf(kept)?.exitCode}
        />
        {kept === undefined && (
          <button
            type="button"
            class="quiet"
            disabled={cancel.busy}
            onClick={() => cancel.run(() => client.commands.cancel({ commandId: ran.commandId }))}
          >
            Cancel
          </button>
        )}
      </div>
      {output.cut && <p class="soft">The beginning is left out.</p>}
      {output.text !== "" && (
        <TextBlock
          label={`Output of ${ran.command}${ran.where === undefined ? "" : ` on ${ran.where}`}`}
          text={output.text}
          growing
        />
      )}
      <p class="soft" role="status">
        {kept === undefined ? "" : endWords(kept)}
      </p>
      <Failure text={failure ?? cancel.failure} />
    </div>
  )
}
