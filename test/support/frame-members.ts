/**
 * Every member of every frame of a daemon: a value that fits, some that do not, and why. Owns the tables that tests of
 * the reading go through; asserts nothing.
 */
import { promptIdCharsMax } from "../../src/limits.ts"

type Json = Record<string, unknown>

/** The reason of what is no text. */
export const text = "is not a text"
const flag = "is not true or false"
const whole = "is not a whole number of at least 0"
const object = "is not an object"
const list = "is not a list"

/** Every member: one that fits, some that do not, and why. `null` among the last: the member is needed. */
export type Members = Readonly<Record<string, readonly [fits: unknown, wrong: ReadonlyArray<unknown>, reason: string]>>

const texts = [7, true, {}, []]
const flags = ["yes", 1, {}]
const numbers = ["1", "now", {}]
const wholes = [-1, 1.5, "12", [1]]
const workspaces: Members[string] = [{ name: "a", path: "/a" }, [7, true, [], ""], "is not a text or an object"]
const promptIds: Members[string] = [
  "p1",
  [...texts, "", "x".repeat(promptIdCharsMax + 1)],
  `is not a text of 1 to ${promptIdCharsMax} characters`
]
const needed = (reason: string, fits: unknown, wrong: ReadonlyArray<unknown>): Members[string] => [
  fits,
  [...wrong, null],
  reason
]

/** A session with what it needs. */
export const session = { id: "s", providerType: "p", kind: "agent", transport: "pty", status: "idle" }
export const sessions: Members = {
  ...Object.fromEntries(Object.entries(session).map(([name, fits]) => [name, needed(text, fits, texts)])),
  parentId: ["w", texts, text],
  providerName: ["P", texts, text],
  providerSessionId: ["c", texts, text],
  title: ["t", texts, text],
  workspace: workspaces,
  cdpConnected: [true, flags, flag],
  summaryMetadata: [{ n: 1 }, [], ""],
  providerControls: [[{ id: "mode" }], [], ""],
  controlValues: [{ mode: "fast" }, [], ""],
  activeModal: [{ message: "Go?", buttons: ["Yes"] }, [7, "m", []], object],
  surfaceHidden: [false, flags, flag],
  muted: [false, flags, flag]
}
export const providers: Members = {
  type: needed(text, "p", texts),
  category: needed(text, "cli", texts),
  displayName: ["P", texts, text],
  installed: [false, flags, flag]
}
export const modals: Members = {
  promptId: promptIds,
  message: needed(text, "Go?", texts),
  buttons: needed(list, ["Yes"], [7, "Yes", {}]),
  askedAt: [1, numbers, "is not a number"],
  expiresAt: [1, numbers, "is not a number"],
  subject: [{ action: "execute", resource: "ls" }, [7, "s", []], object],
  options: [[{ optionId: "o", name: "Yes", kind: "allow_once" }], [7, "o", {}], list]
}
const both: Members = {
  workspaces: [[{ name: "a" }], [7, "a", {}], list],
  availableProviders: [[{ type: "p", category: "cli" }], [7, "a", {}], list]
}
export const reports: Members = {
  ...both,
  timestamp: needed("is not a number", 1, numbers),
  sessions: needed(list, [session], [7, "s", {}]),
  cdpConnected: [true, flags, flag],
  p2p: [{ any: 1 }, [], ""],
  health: [{ cpu: 0.5, memory: 1, disk: 0 }, [7, "h", []], object]
}
export const auths: Members = {
  ...both,
  token: ["t", texts, text],
  protocol: needed("is not a whole number", 1, ["1", {}]),
  instanceId: needed(text, "i", texts),
  version: needed(text, "1", texts),
  hostname: needed(text, "h", texts),
  platform: needed(text, "p", texts),
  nickname: ["n", texts, text],
  tags: [{ env: "prod", gpu: "" }, [7, "env", []], object],
  capabilities: [["durable_commands"], [7, "a", {}], list],
  commands: [["cmd_1"], [7, "a", {}], list]
}
export const events: Members = {
  id: ["e", texts, text],
  event: needed(text, "agent:stopped", texts),
  timestamp: needed("is not a number", 1, numbers),
  targetSessionId: ["s", texts, text],
  providerType: ["p", texts, text],
  providerSessionId: ["c", texts, text],
  workspaceName: ["w", texts, text],
  duration: [3, wholes, whole],
  elapsedSec: [3, wholes, whole],
  promptId: promptIds,
  modalMessage: ["Go?", texts, text],
  modalButtons: [["Yes"], [7, "Yes", {}], list],
  by: ["policy", texts, text],
  rule: ["r", texts, text],
  decision: ["reject", texts, text],
  count: [3, wholes, whole],
  surfaceHidden: [true, flags, flag],
  muted: [true, flags, flag]
}
export const results: Members = {
  id: needed(text, "c", texts),
  success: needed(flag, false, flags),
  result: [{ n: 1 }, [], ""],
  error: ["no", texts, text],
  code: ["no", texts, text]
}

/** An object with all of its members. */
export const whatFits = (members: Members): Json =>
  Object.fromEntries(Object.entries(members).map(([name, [fits]]) => [name, fits]))
