/** An agent session as others see it: the hub's report, a chat, the evidence of a debug bundle. Pure. */
import { basename } from "node:path"
import type { Provider } from "./providers.ts"
import type { EventBody, Modal, SessionReport } from "./wire.ts"

/** What there is to see of an agent. */
export interface AgentFacts {
  readonly id: string
  readonly provider: Provider
  readonly dir: string
  readonly status: string
  /** The agent's own id of the session; undefined before it has one. */
  readonly providerSessionId: string | undefined
  /** The question that waits. */
  readonly modal: Modal | undefined
}

/** The session as the hub is told. */
export const reportOf = ({ id, provider, dir, status, providerSessionId, modal }: AgentFacts): SessionReport => ({
  id,
  providerType: provider.type,
  providerName: provider.displayName,
  ...(providerSessionId === undefined ? {} : { providerSessionId }),
  kind: "agent",
  transport: provider.category === "cli" ? "pty" : "acp",
  status,
  title: provider.displayName,
  workspace: { name: basename(dir), path: dir },
  // this daemon has no dashboard on which either could be done
  surfaceHidden: false,
  muted: false,
  ...(modal === undefined ? {} : { activeModal: modal })
})

/** The chat as it stands. `said`: its messages; `ended`: how the last turn did. */
export const chatOf = (
  { id, provider, status, modal }: AgentFacts,
  said: object,
  ended: { readonly stopReason: string | undefined; readonly error: string | undefined }
): Record<string, unknown> => ({
  sessionId: id,
  agentType: provider.type,
  status,
  title: provider.displayName,
  ...said,
  ...(modal === undefined ? {} : { activeModal: modal }),
  ...(ended.stopReason === undefined ? {} : { stopReason: ended.stopReason }),
  ...(ended.error === undefined ? {} : { error: ended.error })
})

/** Something that happened to it. */
export const eventOf = (
  { id, provider, dir, providerSessionId }: AgentFacts,
  timestamp: number,
  event: string,
  more: Partial<EventBody>
): EventBody => ({
  event,
  timestamp,
  targetSessionId: id,
  providerType: provider.type,
  ...(providerSessionId === undefined ? {} : { providerSessionId }),
  workspaceName: dir,
  ...more
})

/** Evidence for the debug bundle. */
export const evidenceOf = (facts: AgentFacts, process: object, chat: object): Record<string, unknown> => {
  const { command, args, type, category } = facts.provider
  return { provider: { type, category, command, args }, process, session: reportOf(facts), chat }
}
