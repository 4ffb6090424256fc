/**
 * The spans of an event: from its coming to its commit, and the commit, which its deliveries' attempts are within. Owns
 * their names and attributes; of an event that does not happen nothing is kept.
 */

import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import { traceText } from "../../src/tracing/trace-context.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"

/** The trace of an event, where it is kept. */
export interface EventTrace {
  /** What its deliveries carry. */
  readonly text: string
  readonly committed: (failed: boolean) => void
}

/** Begins the spans of an event that webhooks want. */
export const traceEvent = (
  tracing: Tracer | undefined,
  { event, accountId, daemonId }: HubEvent,
  wanting: number
): EventTrace | undefined => {
  if (tracing === undefined || wanting === 0) return undefined
  const span = tracing.begin(`event ${event}`, "internal", "")
  if (span === undefined) return undefined
  span.about({ "hub.event": event, "hub.account.id": accountId, "hub.webhooks": wanting })
  if (daemonId !== undefined) span.about({ "hub.daemon.id": daemonId })
  const commit = span.child("commit")
  return {
    text: traceText(commit.context),
    committed: (failed) => {
      commit.end(failed)
      span.end(failed)
    }
  }
}
