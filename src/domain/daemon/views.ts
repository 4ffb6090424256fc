/**
 * What integrators see of a picture: the list element, the status record, the agent status. Owns these shapes' filling,
 * from one record for all of them. Titles, messages and texts of prompts stay in: they leave through agent routes only.
 */
import type { SessionReport } from "../../protocol/frames.ts"
import type { Picture } from "./snapshot.ts"
import { addressOf, agentState, agentsOf, parentOf, type Surface, surfaceOf } from "./target-resolution.ts"
import { type Target, targetId } from "./targets.ts"
import { workspaceNameOf, workspaceOf } from "./workspace.ts"

interface Place {
  readonly id: string
  readonly type: string
  /** Of several of one type the first counts. */
  readonly workspaceName: string | null
}

interface Surfaces {
  readonly ides: ReadonlyArray<Place & { readonly cdpConnected: boolean }>
  readonly clis: ReadonlyArray<Place & { readonly name: string }>
  readonly acps: ReadonlyArray<Place>
}

type Providers = Picture["availableProviders"]

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

const nameOf = (picture: Picture, { providerName, providerType }: SessionReport): string =>
  providerName ?? displayNames(picture.availableProviders).get(providerType) ?? providerType

// most have no parent, and no index of all sessions is made for them
const placeName = (picture: Picture, session: SessionReport): string | null =>
  workspaceNameOf(session, session.parentId === undefined ? undefined : parentOf(picture, session)) ?? null

// once for all views of the same report; a picture whose providers alone are new is looked at again
const surfacesBySessions = new WeakMap<
  Picture["sessions"],
  { readonly picture: Pick<Picture, "daemonId" | "availableProviders">; readonly of: Surfaces }
>()

const surfaces = (picture: Picture): Surfaces => {
  const { daemonId, sessions, availableProviders } = picture
  const known = surfacesBySessions.get(sessions)
  if (known?.picture.daemonId === daemonId && known.picture.availableProviders === availableProviders) return known.of
  const of = surfacesOf(picture)
  surfacesBySessions.set(sessions, { picture: { daemonId, availableProviders }, of })
  return of
}

const surfacesOf = (picture: Picture): Surfaces => {
  const ides = new Map<string, Surfaces["ides"][number]>()
  const clis = new Map<string, Surfaces["clis"][number]>()
  const acps = new Map<string, Place>()
  for (const session of picture.sessions) {
    const surface: Surface | undefined = surfaceOf(session)
    if (surface === undefined) continue
    const type = session.providerType
    const id = targetId(picture.daemonId, surface, type)
    if (surface === "ide") {
      const before = ides.get(id)
      const cdpConnected = session.cdpConnected === true || before?.cdpConnected === true
      ides.set(id, { id, type, cdpConnected, workspaceName: before?.workspaceName ?? placeName(picture, session) })
    } else if (surface === "cli") {
      if (!clis.has(id))
        clis.set(id, { id, type, name: nameOf(picture, session), workspaceName: placeName(picture, session) })
    } else if (!acps.has(id)) acps.set(id, { id, type, workspaceName: placeName(picture, session) })
  }
  return { ides: [...ides.values()], clis: [...clis.values()], acps: [...acps.values()] }
}

/** One element of the list of daemons. */
export const daemonView = (picture: Picture) => {
  const { ides, clis, acps } = surfaces(picture)
  return {
    id: picture.daemonId,
    hostname: picture.hostname,
    nickname: picture.nickname,
    platform: picture.platform,
    version: picture.version,
    online: picture.online,
    cdpConnected: ides.some((ide) => ide.cdpConnected),
    connectedAt: picture.connectedAt ?? null,
    lastSeenAt: picture.lastSeenAt ?? null,
    ides,
    clis,
    acps
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

const agentView = (picture: Picture, session: SessionReport) => ({
  sessionId: session.id,
  targetId: addressOf(picture, session),
  providerType: session.providerType,
  status: agentState(session.status),
  workspaceName: workspaceNameOf(session, parentOf(picture, session)) ?? null
})

const observed = (picture: Picture, now: number) => ({
  observedAt: picture.observedAt ?? null,
  ageMs: picture.observedAt === undefined ? null : Math.max(0, now - picture.observedAt)
})

/** The status record of one daemon. */
export const statusView = (picture: Picture, now: number) => ({
  ...daemonView(picture),
  revoked: picture.revoked,
  ...observed(picture, now),
  sessions: picture.sessions.map(sessionView),
  workspaces: picture.workspaces,
  agents: agentsOf(picture).map((session) => agentView(picture, session)),
  availableProviders: picture.availableProviders,
  problems: picture.problems ?? []
})

/** The status of one agent, under the target it was asked by; a bare daemon id is answered with the agent's own. */
export const agentStatusView = (
  picture: Picture,
  session: SessionReport,
  asked: { readonly target: Target; readonly text: string },
  now: number
) =>
  present({
    targetId: asked.target.kind === "daemon" ? addressOf(picture, session) : asked.text,
    daemonId: picture.daemonId,
    sessionId: session.id,
    agentType: session.providerType,
    providerType: session.providerType,
    providerSessionId: session.providerSessionId,
    status: agentState(session.status),
    rawStatus: session.status,
    workspace: workspaceOf(session, parentOf(picture, session)),
    workspaceName: workspaceNameOf(session, parentOf(picture, session)) ?? null,
    summaryMetadata: session.summaryMetadata,
    providerControls: session.providerControls,
    controlValues: session.controlValues,
    activeModal: session.activeModal,
    online: picture.online,
    ...observed(picture, now)
  })
