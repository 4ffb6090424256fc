/** One entry of a session as it is drawn. */
import { useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Markdown } from "../components/markdown.tsx"
import { TextBlock } from "../components/text-block.tsx"
import type { Entry } from "../state/session-log.ts"
import { diffLines, type ToolBlock } from "../state/tool-details.ts"

const tones = { " ": "", "+": "added", "-": "removed" } as const

const Diff = ({ block }: { readonly block: Extract<ToolBlock, { kind: "diff" }> }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
  <section class="text" aria-label={`Change of ${block.path}`} tabIndex={0}>
    <small class="soft">{block.path}</small>
    <pre>
      {diffLines(block.before, block.after).map(({ mark, text }, at) => (
        <span key={at} class={tones[mark]}>{`${mark} ${text}\n`}</span>
      ))}
    </pre>
  </section>
)

const Block = ({ block }: { readonly block: ToolBlock }) =>
  block.kind === "diff" ? <Diff block={block} /> : <TextBlock label={block.label} text={block.text} />

/** A tool call: its title and state, and when it is opened what it changed and wrote. */
const ToolCall = ({ call }: { readonly call: Extract<Entry, { kind: "tool" }> }) => {
  const [open, setOpen] = useState(false)
  const head = (
    <>
      <span>{call.title}</span> {call.status !== "" && <Badge state={call.status} />}
    </>
  )
  if (call.blocks.length === 0) return <li class="entry aside">{head}</li>
  return (
    <li class="entry aside">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{head}</summary>
        {open && call.blocks.map((block, at) => <Block key={at} block={block} />)}
      </details>
    </li>
  )
}

const answers: Readonly<Record<string, string>> = { approve: "approved", reject: "rejected", always: "always approved" }

/** An entry. */
export const SessionEntry = ({ entry }: { readonly entry: Entry }) => {
  switch (entry.kind) {
    case "message":
      return (
        <li class={entry.role === "user" ? "entry you" : "entry"}>
          <small class="soft">{entry.role === "user" ? "You" : "Agent"}</small>
          {entry.role === "user" ? <p class="said">{entry.text}</p> : <Markdown text={entry.text} />}
        </li>
      )
    case "thought":
      return (
        <li class="entry aside">
          <details>
            <summary>Thought</summary>
            <p class="said">{entry.text}</p>
          </details>
        </li>
      )
    case "tool":
      return <ToolCall call={entry} />
    case "question":
      return (
        <li class="entry aside question">
          <span>Asked: {entry.text}</span> <strong>{answers[entry.answer ?? ""] ?? entry.answer}</strong>
        </li>
      )
    case "plan":
      return (
        <li class="entry aside">
          <span>Plan</span>
          <ul>
            {entry.steps.map((step) => (
              <li key={step.text}>
                {step.text} {step.status !== "" && <Badge state={step.status} />}
              </li>
            ))}
          </ul>
        </li>
      )
    case "error":
      return <li class="entry note bad">{entry.text}</li>
    case "gap":
      return <li class="entry aside">{entry.text}</li>
  }
}
