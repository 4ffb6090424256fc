/**
 * Views of a snapshot for integrators: the list element, the status record, the agent status. Owns how these are
 * filled, all from one record. They hold no titles, messages or prompt texts, which leave through agent routes only.
 */
import type { SessionReport } from "../../protocol/frames.ts"
import type { WorkspaceReport } from "../../protocol/workspace.ts"
import { versionOf } from "./agent-watch.ts"
import type { UpdateState } from "./rollout.ts"
import type { Snapshot } from "./snapshot.ts"
import { tagsOf } from "./tags.ts"
import { addressOf, agentState, agentsOf, parentOf, type Surface, surfaceOf } from "./target-resolution.ts"
import { type Target, targetId } from "./targets.ts"
import { workspaceNameOf, workspaceOf } from "./workspace.ts"

interface Workspace {
  readonly id: string
  readonly type: string
  /** Of several of one type the first counts. */
  readonly workspaceName: string | null
}

interface Surfaces {
  readonly ides: ReadonlyArray<Workspace & { readonly cdpConnected: boolean }>
  readonly clis: ReadonlyArray<Workspace & { readonly name: string }>
  readonly acps: ReadonlyArray<Workspace>
}

type Providers = Snapshot["availableProviders"]

// once for all views of the same providers: both lists may be long
const namesByProviders = new WeakMap<Providers, ReadonlyMap<string, string>>()

/** What the providers call their types; of several of one type the first counts. */
const displayNames = (providers: Providers): ReadonlyMap<string, string> => {
  const known = namesByProviders.get(providers)
  if (known !== undefined) return known
  const names = new Map<string, string>()
  for (const { type, displayName } of providers) if (!names.has(type)) names.set(type, displayName ?? type)
  namesByProviders.set(providers, names)
  return names
}

const nameOf = (snapshot: Snapshot, { providerName, providerType }: SessionReport): string =>
  providerName ?? displayNames(snapshot.availableProviders).get(providerType) ?? providerType

// most have no parent, and no index of all sessions is made for them
const placeName = (snapshot: Snapshot, session: SessionReport): string | null =>
  workspaceNameOf(session, session.parentId === undefined ? undefined : parentOf(snapshot, session)) ?? null

// once for all views of the same report; a snapshot whose providers alone are new is looked at again
const surfacesBySessions = new WeakMap<
  Snapshot["sessions"],
  { readonly snapshot: Pick<Snapshot, "daemonId" | "availableProviders">; readonly of: Surfaces }
>()

const surfaces = (snapshot: Snapshot): Surfaces => {
  const { daemonId, sessions, availableProviders } = snapshot
  const known = surfacesBySessions.get(sessions)
  if (known?.snapshot.daemonId === daemonId && known.snapshot.availableProviders === availableProviders) return known.of
  const of = surfacesOf(snapshot)
  surfacesBySessions.set(sessions, { snapshot: { daemonId, availableProviders }, of })
  return of
}

const surfacesOf = (snapshot: Snapshot): Surfaces => {
  const ides = new Map<string, Surfaces["ides"][number]>()
  const clis = new Map<string, Surfaces["clis"][number]>()
  const acps = new Map<string, Workspace>()
  for (const session of snapshot.sessions) {
    const surface: Surface | undefined = surfaceOf(session)
    if (surface === undefined) continue
    const type = session.providerType
    const id = targetId(snapshot.daemonId, surface, type)
    if (surface === "ide") {
      const before = ides.get(id)
      const cdpConnected = session.cdpConnected === true || before?.cdpConnected === true
      ides.set(id, { id, type, cdpConnected, workspaceName: before?.workspaceName ?? placeName(snapshot, session) })
    } else if (surface === "cli") {
      if (!clis.has(id))
        clis.set(id, { id, type, name: nameOf(snapshot, session), workspaceName: placeName(snapshot, session) })
    } else if (!acps.has(id)) acps.set(id, { id, type, workspaceName: placeName(snapshot, session) })
  }
  return { ides: [...ides.values()], clis: [...clis.values()], acps: [...acps.values()] }
}

/** How a daemon stands with the version that it is to have. */
export interface UpdateView {
  readonly state: UpdateState
  readonly policy: string
  /** What it is to have; null: this hub serves none that its policy means. */
  readonly version: string | null
  /** Why its update failed; null: it did not. */
  readonly reason: string | null
}

/** One element of the list of daemons; `update`: where a policy of versions applies to it. */
export const daemonView = (snapshot: Snapshot, update?: UpdateView) => {
  const { ides, clis, acps } = surfaces(snapshot)
  return {
    id: snapshot.daemonId,
    hostname: snapshot.hostname,
    nickname: snapshot.nickname,
    platform: snapshot.platform,
    version: snapshot.version,
    tags: tagsOf(snapshot),
    online: snapshot.online,
    cdpConnected: ides.some((ide) => ide.cdpConnected),
    connectedAt: snapshot.connectedAt ?? null,
    lastSeenAt: snapshot.lastSeenAt ?? null,
    ides,
    clis,
    acps,
    ...(update !== undefined && { update })
  }
}

const present = <A extends object>(members: A): { [K in keyof A]: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never

const sessionView = (session: SessionReport) =>
  present({
    id: session.id,
    parentId: session.parentId,
    providerType: session.providerType,
    providerName: session.providerName,
    providerSessionId: session.providerSessionId,
    kind: session.kind,
    transport: session.transport,
    status: agentState(session.status),
    rawStatus: session.status,
    workspace: session.workspace ?? null,
    cdpConnected: session.cdpConnected,
    surfaceHidden: session.surfaceHidden,
    muted: session.muted
  })

const agentView = (snapshot: Snapshot, session: SessionReport) => ({
  sessionId: session.id,
  targetId: addressOf(snapshot, session),
  providerType: session.providerType,
  status: agentState(session.status),
  workspaceName: workspaceNameOf(session, parentOf(snapshot, session)) ?? null
})

const observed = (snapshot: Snapshot, now: number) => ({
  observedAt: snapshot.observedAt ?? null,
  ageMs: snapshot.observedAt === undefined ? null : Math.max(0, now - snapshot.observedAt)
})

const workspaceKey = ({ name, path }: WorkspaceReport): string => path ?? `${name}\n`

/** Those that the daemon named, then those that its sessions work in. */
const workspacesOf = ({ workspaces, sessions }: Snapshot): ReadonlyArray<WorkspaceReport> => {
  const known = new Set(workspaces.map(workspaceKey))
  const more = sessions.flatMap(({ workspace }) => {
    if (workspace === undefined || known.has(workspaceKey(workspace))) return []
    known.add(workspaceKey(workspace))
    return [workspace]
  })
  return more.length === 0 ? workspaces : [...workspaces, ...more]
}

/** The status record of one daemon. */
export const statusView = (snapshot: Snapshot, now: number, update?: UpdateView) => ({
  ...daemonView(snapshot, update),
  revoked: snapshot.revoked,
  ownerTags: snapshot.ownerTags?.tags ?? {},
  ...observed(snapshot, now),
  sessions: snapshot.sessions.map(sessionView),
  workspaces: workspacesOf(snapshot),
  agents: agentsOf(snapshot).map((session) => agentView(snapshot, session)),
  availableProviders: snapshot.availableProviders,
  ...(snapshot.health !== undefined && { health: snapshot.health }),
  ...(!snapshot.online && snapshot.lastEnd !== undefined && { lastEnd: snapshot.lastEnd }),
  problems: snapshot.problems ?? []
})

/** The status of one agent, under the target it was asked by; a bare daemon id is answered with the agent's own. */
export const agentStatusView = (
  snapshot: Snapshot,
  session: SessionReport,
  asked: { readonly target: Target; readonly text: string },
  now: number
) =>
  present({
    targetId: asked.target.kind === "daemon" ? addressOf(snapshot, session) : asked.text,
    daemonId: snapshot.daemonId,
    sessionId: session.id,
    agentType: session.providerType,
    providerType: session.providerType,
    providerSessionId: session.providerSessionId,
    status: agentState(session.status),
    rawStatus: session.status,
    workspace: workspaceOf(session, parentOf(snapshot, session)),
    workspaceName: workspaceNameOf(session, parentOf(snapshot, session)) ?? null,
    summaryMetadata: session.summaryMetadata,
    providerControls: session.providerControls,
    controlValues: session.controlValues,
    activeModal: session.activeModal,
    version: versionOf(snapshot, session),
    online: snapshot.online,
    ...observed(snapshot, now)
  })
