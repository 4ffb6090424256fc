/** The stored commands of a daemon, newest first, with the result of the one that is looked at. */
import type { Output } from "@hub/client"
import { useEffect, useState } from "preact/hooks"
import { EndBadge } from "../components/badge.tsx"
import { Failure, ListEnd, Reading } from "../components/notices.tsx"
import { Section } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { TextBlock } from "../components/text-block.tsx"
import { durationWords } from "../components/time-words.ts"
import { noOutput, withText } from "../state/command-output.ts"
import { useFetched } from "../state/fetched.ts"
import { usePagedList } from "../state/paged-list.ts"
import { client } from "../state/session.ts"

type Command = Output<"commands.list">["commands"][number]

const page = 10

const wordsOf = ({ result, error, resultOmitted }: Output<"commands.get">): string => {
  if (error !== undefined) return error
  if (resultOmitted !== undefined) return `The result is not kept: ${resultOmitted}.`
  const { stdout, stderr } = (result ?? {}) as { readonly stdout?: unknown; readonly stderr?: unknown }
  if (typeof stdout === "string") return `${stdout}${typeof stderr === "string" ? stderr : ""}`
  return result === undefined ? "No result." : JSON.stringify(result, undefined, 2)
}

const Result = ({ commandId }: { readonly commandId: string }) => {
  const { value, failure } = useFetched((signal) => client.commands.get({ commandId }, { signal }), [commandId])
  if (value === undefined) return failure === undefined ? <Reading /> : <Failure text={failure} />
  return <TextBlock label={`Result of ${commandId}`} text={withText(noOutput, wordsOf(value)).text} />
}

const Row = ({ command }: { readonly command: Command }) => {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <button type="button" class="row plain" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="grow">
          <strong>{command.type.replaceAll("_", " ")}</strong>
          <small class="soft">{command.commandId}</small>
        </span>
        <small class="soft">
          <RelativeTime at={command.createdAt} />
          {command.durationMs !== null && ` · ${durationWords(command.durationMs)}`}
        </small>
        <EndBadge state={command.state} exitCode={command.exitCode} />
      </button>
      {open && <Result commandId={command.commandId} />}
    </li>
  )
}

/** The part of the daemon's view; `ran`: another number where a command has ended. */
export const Commands = ({ daemonId, ran }: { readonly daemonId: string; readonly ran: number }) => {
  const pages = usePagedList(async (from, signal) => {
    const { commands, nextCursor } = await client.commands.list({ daemonId, limit: page, ...from }, { signal })
    return { rows: commands, next: nextCursor }
  }, daemonId)
  const { reload } = pages
  // read again when one has ended
  useEffect(() => {
    if (ran > 0) reload()
  }, [ran, reload])
  return (
    <Section title="Kept commands" says="For 24 hours after their end.">
      <ul class="list" aria-label="Kept commands">
        {pages.rows?.map((command) => (
          <Row key={command.commandId} command={command} />
        ))}
      </ul>
      <ListEnd pages={pages} none="No command was kept." />
    </Section>
  )
}
