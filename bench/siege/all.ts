/** The attacks by the names of their rows. Owns no attack. */
import type { Attack } from "./attack.ts"
import { badCredentials } from "./bad-credentials.ts"
import { changedReports } from "./changed-reports.ts"
import { clientRetries } from "./client-retries.ts"
import { consoleFiles } from "./console-files.ts"
import { daemonPings, daemonPongs, pings, pongs } from "./control-frames.ts"
import { denseAccounts, denseBodies, denseEvents, denseLogs, denseResults } from "./dense-frames.ts"
import { disabledAccount } from "./disabled-account.ts"
import { firstFrames } from "./first-frames.ts"
import { idleConnections } from "./idle-connections.ts"
import { informationalReceiver, oneByteChunks } from "./informational-receiver.ts"
import { jobFloods } from "./job-floods.ts"
import { resultNames, resultSurrogates } from "./large-results.ts"
import { millionAddresses } from "./million-addresses.ts"
import { passwordChecks } from "./password-checks.ts"
import { pipelinedOnMany, pipelinedRequests } from "./pipelined-requests.ts"
import { quadraticReport } from "./quadratic-report.ts"
import { failingDeliveries, keptOutcomes } from "./retained-bytes.ts"
import { sessionStreams } from "./session-streams.ts"
import { churnedSockets, heldSockets } from "./silent-sockets.ts"
import { slowBodies } from "./slow-bodies.ts"
import { slowHeads } from "./slow-heads.ts"
import { changesAtOnce, comingDaemons, failedUpdates, pushedQuestions } from "./store-work.ts"
import { tinyFrames } from "./tiny-frames.ts"
import { unfinishedFrames } from "./unfinished-frames.ts"
import { unreadAnswers } from "./unread-answers.ts"

/** Every row. */
export const attacks = {
  "pipelined-requests": pipelinedRequests,
  "pipelined-on-many": pipelinedOnMany,
  pings,
  pongs,
  "daemon-pings": daemonPings,
  "daemon-pongs": daemonPongs,
  "quadratic-report": quadraticReport,
  "idle-connections": idleConnections,
  "result-names": resultNames,
  "result-surrogates": resultSurrogates,
  "changed-reports": changedReports,
  "informational-receiver": informationalReceiver,
  "one-byte-chunks": oneByteChunks,
  "first-frames": firstFrames,
  "disabled-account": disabledAccount,
  "failing-deliveries": failingDeliveries,
  "kept-outcomes": keptOutcomes,
  "held-sockets": heldSockets,
  "churned-sockets": churnedSockets,
  "unfinished-frames": unfinishedFrames,
  "unread-answers": unreadAnswers,
  "slow-bodies": slowBodies,
  "password-checks": passwordChecks,
  "bad-credentials": badCredentials,
  "million-addresses": millionAddresses,
  "slow-heads": slowHeads,
  "session-streams": sessionStreams,
  "job-floods": jobFloods,
  "console-files": consoleFiles,
  "client-retries": clientRetries,
  "dense-events": denseEvents,
  "dense-accounts": denseAccounts,
  "dense-logs": denseLogs,
  "dense-results": denseResults,
  "dense-bodies": denseBodies,
  "failed-updates": failedUpdates,
  "coming-daemons": comingDaemons,
  "pushed-questions": pushedQuestions,
  "changes-at-once": changesAtOnce,
  "tiny-frames": tinyFrames
} as const satisfies Record<string, Attack>

/** The name of a row. */
export type AttackName = keyof typeof attacks

/** All names. */
export const attackNames = Object.keys(attacks) as ReadonlyArray<AttackName>
