/** A tool call of an agent: its title and state, and when it is opened what it changed and wrote. */
import { useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
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

/** The call. */
export const ToolCall = ({ call }: { readonly call: Extract<Entry, { kind: "tool" }> }) => {
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
