/** The shapes of a daemon as the contract shows it: in the list, and whole. Owns no path. */
import { Schema } from "effect"
import { problemsShownMax } from "../../src/limits.ts"
import { DaemonUpdate } from "./daemon-versions.ts"
import { AgentState, foundTotals, millis, nextCursor, Workspace } from "./shapes.ts"
import { TagValues } from "./tags.ts"

const maybe = Schema.optionalKey
const flag = Schema.Boolean

const place = {
  id: Schema.String,
  type: Schema.String,
  workspaceName: Schema.NullOr(Schema.String).annotate({
    description: "Of an IDE its workspace's name, of a CLI or an ACP agent its working directory; null when unknown"
  })
}
const Ide = Schema.Struct({ ...place, cdpConnected: flag }).annotate({ identifier: "IdeTarget" })
const Cli = Schema.Struct({ ...place, name: Schema.String }).annotate({ identifier: "CliTarget" })
const Acp = Schema.Struct(place).annotate({ identifier: "AcpTarget" })

/** A daemon in the list. */
export const Daemon = Schema.Struct({
  id: Schema.String,
  hostname: Schema.String,
  nickname: Schema.String.annotate({ description: "Empty when unset" }),
  platform: Schema.String,
  version: Schema.String,
  tags: TagValues.annotate({ description: "The owner's tags, and the daemon's own of other keys" }),
  online: flag.annotate({ description: "Connected now, or lost less than the grace ago" }),
  cdpConnected: flag.annotate({ description: "Whether any IDE is connected" }),
  connectedAt: Schema.NullOr(millis),
  lastSeenAt: Schema.NullOr(millis),
  ides: Schema.Array(Ide),
  clis: Schema.Array(Cli),
  acps: Schema.Array(Acp),
  update: maybe(DaemonUpdate).annotate({ description: "Where a policy of versions applies to it" })
}).annotate({ identifier: "Daemon" })

/** A page of the list. */
export const DaemonList = Schema.Struct({ daemons: Schema.Array(Daemon), nextCursor, ...foundTotals }).annotate({
  identifier: "DaemonList"
})

const Session = Schema.Struct({
  id: Schema.String,
  parentId: maybe(Schema.String),
  providerType: Schema.String,
  providerName: maybe(Schema.String),
  providerSessionId: maybe(Schema.String),
  kind: Schema.String,
  transport: Schema.String,
  status: AgentState,
  rawStatus: Schema.String,
  workspace: Schema.NullOr(Workspace),
  cdpConnected: maybe(flag),
  surfaceHidden: maybe(flag),
  muted: maybe(flag)
}).annotate({ identifier: "Session" })

const Agent = Schema.Struct({
  sessionId: Schema.String,
  targetId: Schema.String.annotate({ description: "Always means exactly this agent" }),
  providerType: Schema.String,
  status: AgentState,
  workspaceName: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Agent" })

const Provider = Schema.Struct({
  type: Schema.String,
  category: Schema.String,
  displayName: maybe(Schema.String),
  installed: maybe(flag)
}).annotate({ identifier: "Provider" })

const Problem = Schema.Struct({
  at: Schema.String.annotate({ description: "Where it stood: the frame's type, then its members" }),
  reason: Schema.String
}).annotate({ identifier: "DaemonProblem", description: "Something the daemon sent that did not fit and was dropped" })

const share = (description: string) => maybe(Schema.Finite).annotate({ description })
const Health = Schema.Struct({
  cpu: share("The load of the last minute per processor: above 1 work waits"),
  memory: share("The share of memory in use"),
  disk: share("The share in use of the disk that the daemon works on")
}).annotate({ identifier: "MachineHealth" })

const LastEnd = Schema.Struct({
  at: millis,
  reason: Schema.NullOr(Schema.String).annotate({ description: "As `daemon:disconnect` has it" }),
  code: Schema.NullOr(Schema.Int).annotate({ description: "With which its socket closed, where it did" })
}).annotate({ identifier: "DaemonLastEnd" })

/** All that the hub knows of a daemon. */
export const DaemonStatus = Schema.Struct({
  ...Daemon.fields,
  revoked: flag,
  ownerTags: TagValues.annotate({ description: "Of the tags those that the owner gave it" }),
  observedAt: Schema.NullOr(millis).annotate({ description: "When the daemon reported this" }),
  ageMs: Schema.NullOr(Schema.Finite),
  sessions: Schema.Array(Session),
  workspaces: Schema.Array(Workspace),
  agents: Schema.Array(Agent),
  availableProviders: Schema.Array(Provider),
  health: maybe(Health).annotate({ description: "Where the daemon reports it" }),
  lastEnd: maybe(LastEnd).annotate({ description: "Of one that is offline: how its last time online ended" }),
  problems: Schema.Array(Problem).annotate({ description: `For the daemon's author; at most ${problemsShownMax}` })
}).annotate({ identifier: "DaemonStatus" })
