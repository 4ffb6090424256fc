/** One entry of a session as it is drawn. */
import { Badge } from "../components/badge.tsx"
import { Markdown } from "../components/markdown.tsx"
import type { Entry } from "../state/session-log.ts"
import { ToolCall } from "./tool-call.tsx"

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
