/**
 * The bounds of the reference daemon: each name ends with its unit, and says what happens at the bound. Owns numbers
 * only.
 */

/** How long a connection may take from the first try to `auth_ok`; later: closed, and tried again after the backoff. */
export const admissionMillisMax = 15_000
/** Connecting to one address of a name that has more; longer: the next one is tried. Node itself gives it 250 ms. */
export const connectAddressMillisMax = 2_000
/** First step of the backoff; doubles with each try. */
export const backoffFirstMillis = 1_000
/** Longest step of the backoff. */
export const backoffLastMillis = 60_000
/** The longest the hub may ask us to wait before we come back; more: this. */
export const awayMillisMax = 300_000
/** What is read of an answer that is no upgrade; more: no reason is seen. */
export const problemBytesMax = 65_536
/** The state file of a machine that joined, in characters; a longer one is refused. */
export const stateBytesMax = 65_536
/** How long past its slot a busy daemon waits for the hub to close the connection; then it leaves by itself. */
export const slotPatienceMillis = 30_000
/** A connection that lasted this long starts the next backoff from the beginning. */
export const settledMillis = 10_000
/** Silence of the hub, counted in its heartbeats, after which the connection is given up. */
export const silentHeartbeatsMax = 3
/** A frame from the hub; more: the socket closes and the backoff begins. */
export const frameBytesMax = 2_097_152
/** The first report follows `auth_ok` after this long. */
export const firstReportMillis = 2_000
/** Reports of changes go out at most this often; what changes in between is in the next one. */
export const reportGapMillis = 500
/** How long changes are gathered for a report when the last one is longer ago than that. */
export const reportGatherMillis = 20
/** Our share of the frames the hub allows in 10 s; more: they wait for their turn. */
export const paceShare = 0.7
/** Events not acknowledged yet; more: the oldest is forgotten. */
export const eventsMax = 1_000
/** Command ids remembered, so that none runs twice; more: the oldest is forgotten. */
export const commandIdsMax = 4_096
/** Commands that run at once; more: refused with `busy`. */
export const commandsMax = 64
/** Terminal commands that run at once; more: refused with `busy`. */
export const terminalsMax = 8
/** How long a terminal command of a call that waits may run; longer: its group is ended, the command refused. */
export const terminalMillisMax = 55_000
/** The same of a durable command, whatever it is. */
export const durableMillisMax = 3_600_000
/** Durable commands that run or whose result the hub has not taken; more: refused with `busy`. */
export const durableCommandsMax = 256
/** Results kept for the hub, together; more: the newest is kept as a failure with `result_not_kept`. */
export const storedResultBytesMax = 33_554_432
/** What is kept back of the time that the hub waits, so that a process is ended and our answer arrives in it. */
export const answerMillis = 3_000
/** The shortest time that a command gets, however little of it the hub waits. */
export const secondMillis = 1_000
/** Output of a terminal command, each stream; of more its beginning and end, and `truncated` is set. */
export const outputBytesMax = 524_288
/** The same of a command that is refused because its time was over, or that was cancelled. */
export const refusedOutputBytesMax = 16_384
/** Agents that run at once; more: a launch is refused with `too_many_agents`. */
export const agentsMax = 16
/**
 * How long an agent may take to start and open a session, where the caller gives it so long; longer: killed, and the
 * launch refused.
 */
export const launchMillisMax = 600_000
/** How long a process group has to end itself after SIGTERM; longer: SIGKILL. */
export const killMillis = 2_000
/** One message of an agent over its stdio; more: the agent is ended. */
export const agentMessageBytesMax = 8_388_608
/** Messages kept of one chat; more: the oldest goes. */
export const messagesMax = 500
/** Characters kept of one chat; more: the oldest message goes. */
export const chatCharactersMax = 1_000_000
/** Characters of one message; more is cut. */
export const messageCharactersMax = 262_144
/** Last characters of an agent's stderr kept for the debug bundle. */
export const stderrCharactersMax = 16_000
/** Last characters of an agent's stderr that a refusal or an error of its chat quotes. */
export const stderrQuotedCharactersMax = 1_000
/** How long an agent that closed its stdio may take to end itself; longer: killed, and its exit code is not known. */
export const exitGraceMillis = 1_000
/**
 * How long the rest of the output of a dead agent or shell is waited for; longer (a process it left behind holds it):
 * read no further.
 */
export const outputDrainMillis = 500
/** Ways to log in that a refusal names; more are left out. */
export const authMethodsMax = 16
/** Characters of an agent's own words (an error, the name of a way to log in) in a refusal; more are cut. */
export const agentWordsCharactersMax = 500
/** How long an agent may take to give up a turn that is interrupted; longer: it is started anew. */
export const interruptMillis = 10_000
/** How long after the last text behind the end of a turn its message is told once more, as a whole. */
export const lateTextMillis = 500
/** Questions of one agent that wait for an answer; more: refused, as an error of the agent's call. */
export const questionsMax = 64
/** Characters of what a question is about, in a report; more are cut. */
export const subjectCharactersMax = 500
/** Options of a question in a report; more are left out, and their names stand among the buttons. */
export const optionsShownMax = 16
/** How long decisions by policies are gathered before they are told. */
export const decisionGatherMillis = 2_000
/** Events about them that are told at once; the others follow. */
export const decisionsToldMax = 8
/** Of them those that are gathered, equal ones as one; more are not told. */
export const decisionsGatheredMax = 256
/** Characters of a question; more is cut. */
export const questionCharactersMax = 2_000
/** Silence of an agent in its turn after which `monitor:no_progress` is reported, and again after as long. */
export const noProgressMillis = 120_000
/** Tool calls of a session of which is remembered what they are; more: the oldest is forgotten. */
export const toolCallsMax = 256
/** Providers in the file; more: the file is refused. */
export const providersMax = 64
/** Events kept of one log; more: the oldest goes. */
export const logEventsMax = 4_000
/** Bytes kept of one log, as JSON; more: the oldest event goes. */
export const logBytesMax = 1_048_576
/** Bytes of one event of a log; more: members are left out or cut, and `truncated` says so. */
export const logEventBytesMax = 131_072
/** Values of one event of a log, as the hub counts them; more: the same. */
export const logEventValuesMax = 1_000
/** How deep one event of a log nests; deeper: the same. */
export const logEventDepthMax = 16
/** Characters of one piece of text (a delta, an output); more: several events. */
export const logPieceCharactersMax = 16_384
/** Logs kept of sessions and commands that have ended; more: the oldest goes. */
export const endedLogsMax = 32
/** How long the log of what has ended is kept. */
export const endedLogMillisMax = 900_000
/** How long what happens is gathered before it goes out in one frame. */
export const logGatherMillis = 20
/** Events of one frame or answer, in bytes; more: several frames, or `more`. The envelope has room beside it. */
export const logFrameBytesMax = 253_952
/** The same of an answer to `read_log`. */
export const logAnswerBytesMax = 516_096
/** Values in one frame or answer; more: likewise. */
export const logFrameValuesMax = 50_000
/** Events of one frame, or of one answer to `read_log`; more: likewise. */
export const logFrameEventsMax = 1_000
/** What goes out of logs in a second, half of what the hub takes; more: it waits, and frames hold the more events. */
export const logBytesPerSecond = 524_288
/** The same at once after a quiet time. */
export const logBurstBytes = 2_097_152
/** What a frame counts beside its bytes. */
export const logFrameOverheadBytes = 512
/** Logs that the hub listens to; more: the subscription is answered as to an unknown log. */
export const logSubscriptionsMax = 256
/** How often it is looked whether this machine has slept: within this of waking it is noticed. */
export const wakeLookMillis = 2_000
/** By how much the wall clock must have run ahead of the one that stands still in sleep. */
export const sleptMillisMin = 10_000
/** How long the hub may take to answer after that; longer: the connection is dead. */
export const wakeAnswerMillis = 2_000
/** The exit code after which the launcher starts the program that an update has put in place. */
export const updateExit = 75
/** The exit code after which another start changes nothing: the hub refuses this machine, or the call is wrong. */
export const finalExit = 78
/** A program that the hub sends as an update; larger: refused. */
export const programBytesMax = 33_554_432
/** How often one is asked for that does not come; then the update has failed. */
export const downloadsMax = 5
/** How often it is looked whether work is still under way that an update would break off. */
export const busyLookMillis = 1_000
/** How long after a failed update the same one is not begun anew. */
export const failedUpdateMillis = 60_000
/** How long an updated program must run on after the hub let it in; then it is kept. */
export const updateProvenMillis = 300_000
/** How long an installation waits for the hub to let this machine join. */
export const installJoinMillisMax = 60_000
/** How often launchd is asked, once a second, to start a service whose last run is still ending; then it is refused. */
export const bootstrapsMax = 20
/** After how many seconds a service starts a daemon anew that failed: drawn once a machine between these. */
export const restartSecondsFirst = 5
/** See above. */
export const restartSecondsLast = 20
