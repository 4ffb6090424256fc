/**
 * Which command starts or stops a type: an IDE's or a CLI's. Owns the order of the sources: the daemon's own list, then
 * what runs there, then the registry's category, then a CLI.
 */
import type { Snapshot } from "../daemon/snapshot.ts"
import { surfaceOf } from "../daemon/workspace.ts"

/** What a launch is asked for. */
export interface Launch {
  readonly type: string
  readonly dir?: string
  readonly model?: string
}

/** A command to be sent. */
export interface Chosen {
  readonly type: "launch_ide" | "launch_cli" | "stop_ide" | "stop_cli"
  readonly payload: Readonly<Record<string, string>>
}

/** What the daemon itself knows of a type; undefined when nothing. */
export const knownCategory = (snapshot: Snapshot, type: string): string | undefined => {
  const provided = snapshot.availableProviders.filter(
    (provider) => provider.type === type && ["ide", "cli", "acp"].includes(provider.category)
  )
  const installed = provided.find((provider) => provider.installed !== false)
  if (provided.length > 0) return (installed ?? provided[0]!).category
  for (const session of snapshot.sessions) {
    if (session.providerType === type && surfaceOf(session) !== undefined) return surfaceOf(session)
  }
  return undefined
}

/**
 * The command that launches, given a category: the payload keys of the specification, and what daemons read beside
 * them.
 */
export const launchCommand = (launch: Launch, category: string | undefined): Chosen => {
  const { type, dir, model } = launch
  const wishes = {
    ...(dir === undefined ? {} : { dir }),
    // daemons in the field read the second
    ...(model === undefined ? {} : { model, initialModel: model })
  }
  return category === "ide"
    ? { type: "launch_ide", payload: { ideType: type, ...wishes } }
    : { type: "launch_cli", payload: { cliType: type, ...wishes } }
}

/** The command that stops, given a category. */
export const stopCommand = (type: string, category: string | undefined): Chosen =>
  category === "ide"
    ? { type: "stop_ide", payload: { ideType: type } }
    : { type: "stop_cli", payload: { cliType: type } }
