/**
 * The commands of the command line: their flags, values and words of the help. Owns the closed list; parses
 * nothing (cli/parse.ts) and performs nothing.
 */

import { Result } from "effect"
import { auditOutcomes } from "../domain/account/audit-event.ts"
import { readEmailAddress } from "../domain/account/email-address.ts"
import { isPlan, plans } from "../domain/account/plans.ts"
import { isEndReason, offlineReasons } from "../domain/daemon/offline-reason.ts"
import { workersMax } from "../limits/workers.ts"
import { type Flag, type Flags, refuseNumber } from "./arguments.ts"
import { integratorWords } from "./integrator-words.ts"

/** One command. `subject` is the flag that a bare word stands for. */
export interface Command {
  readonly says: string
  readonly flags: Flags
  readonly subject?: string
}

const json: Flag = { kind: "switch", says: "print exactly one JSON object" }
const account: Flag = { kind: "text", required: true, says: "id or e-mail address of the account" }
const plan: Flag = {
  kind: "plan",
  says: "free, pro, ultra or enterprise",
  refuse: (text) => (isPlan(text) ? undefined : `: no such plan ${text}; the plans are ${plans.join(", ")}`)
}
const email: Flag = {
  kind: "email",
  required: true,
  says: "e-mail address",
  refuse: (text) => {
    const address = readEmailAddress(text)
    return Result.isFailure(address) ? ` is not an e-mail address: it ${address.failure}` : undefined
  }
}
const password: Flag = { kind: "text", says: "the password; - reads it from the first line of stdin" }

const daemon: Flag = { kind: "text", required: true, says: "id of the daemon" }
const past = "an ISO 8601 date or time, or a span until now such as 2h"
const closeCodeMax = 4_999

const daemonFilter = {
  account: { kind: "text", says: account.says },
  version: { kind: "text", says: "the version it reported, whole" },
  online: { kind: "switch", says: "only those that are online" },
  offline: { kind: "switch", says: "only those that are not" },
  "seen-since": { kind: "date", says: `seen then or later (now, if online): ${past}` },
  "seen-before": { kind: "date", says: "not seen since then, and seen before" },
  "close-reason": {
    kind: "text",
    says: `why the last time online ended: ${offlineReasons.join(", ")}`,
    refuse: (text) =>
      isEndReason(text) ? undefined : `: no such reason ${text}; they are ${offlineReasons.join(", ")}`
  },
  "close-code": {
    kind: "number",
    says: "the code its last connection closed with, such as 4429",
    refuse: refuseNumber(true, closeCodeMax)
  },
  "identity-copied": { kind: "switch", says: "only those whose token two machines may have" }
} satisfies Flags

const turnOf = { account: { kind: "text", says: account.says }, plan } satisfies Flags

/** The commands that are asked of a hub, running or not. */
export const adminCommands = {
  "account create": {
    says: "create an account",
    flags: {
      email,
      password,
      plan: { ...plan, says: `${plan.says} (default: free)` },
      admin: { kind: "switch", says: "may publish to the registry, mint keys that may, and see the daemons of all" },
      json
    }
  },
  "account list": { says: "list the accounts", flags: { json } },
  "account disable": { says: "refuse everything of an account", subject: "account", flags: { account, json } },
  "account enable": { says: "let a disabled account in again", subject: "account", flags: { account, json } },
  "account password": {
    says: "set an account's password",
    subject: "account",
    flags: { account, password: { ...password, required: true }, json }
  },
  "account plan": {
    says: "move an account to another plan",
    subject: "account",
    flags: { account, plan: { ...plan, required: true }, json }
  },
  "account admin": {
    says: "make an account an administrator's, or no longer",
    subject: "account",
    flags: {
      account,
      admin: {
        kind: "text",
        required: true,
        says: "on or off",
        refuse: (text) => (text === "on" || text === "off" ? undefined : ` is on or off, not ${text}`)
      },
      json
    }
  },
  "account delete": {
    says: "remove an account and all that belongs to it, permanently",
    subject: "account",
    flags: { account, yes: { kind: "switch", says: "have it done; without it, it is only said what would go" }, json }
  },
  "key create": {
    says: "create an API key, shown once",
    flags: {
      account,
      scopes: { kind: "scopes", required: true, says: "comma-separated, such as ide:read,agent:read" },
      name: { kind: "text", says: "a name to tell it by" },
      expires: { kind: "date", says: "an ISO 8601 date or time, or a span from now such as 90d" },
      selector: { kind: "text", says: "binds it to the daemons with these tags, such as env=prod,gpu" },
      json
    }
  },
  "key list": { says: "list an account's API keys", subject: "account", flags: { account, json } },
  "key revoke": {
    says: "revoke an API key permanently",
    subject: "key",
    flags: { key: { kind: "text", required: true, says: "id of the key" }, json }
  },
  "token create": {
    says: "create a daemon token, shown once",
    flags: {
      account,
      name: { kind: "text", says: "a nickname for the daemon" },
      daemon: { kind: "text", says: "id of a daemon that comes back under it" },
      json
    }
  },
  "token list": { says: "list an account's daemons and their tokens", subject: "account", flags: { account, json } },
  "token revoke": { says: "revoke a daemon's token permanently", subject: "daemon", flags: { daemon, json } },
  "token delete": {
    says: "remove a daemon that is offline or revoked, and its tokens, permanently",
    subject: "daemon",
    flags: { daemon, json }
  },
  "daemon list": { says: "list daemons of all accounts", flags: { ...daemonFilter, json } },
  "daemon show": { says: "show what the hub keeps of a daemon", subject: "daemon", flags: { daemon, json } },
  "daemon disconnect": {
    says: "close a daemon's connection; it may come back by itself",
    subject: "daemon",
    flags: { daemon, json }
  },
  "turn disable": { says: "STUN only for an account, or for a plan", flags: { ...turnOf, json } },
  "turn enable": { says: "lift that again", flags: { ...turnOf, json } },
  "oauth client add": {
    says: "let a program ask to be let in to /mcp that has no document of its own (docs/oauth.md)",
    flags: {
      name: { kind: "text", required: true, says: "what people are told it is called" },
      "redirect-uri": {
        kind: "url",
        required: true,
        many: true,
        says: "where its answers go; as often as it has several"
      },
      secret: { kind: "switch", says: "make a secret for it, shown once" },
      json
    }
  },
  "oauth client list": { says: "list the programs that were added so", flags: { json } },
  "oauth client remove": {
    says: "remove one, and disconnect it wherever it was let in",
    subject: "client",
    flags: { client: { kind: "text", required: true, says: "its id" }, json }
  },
  "secret rotate": {
    says: "seal every stored secret anew under the first key of HUB_SECRET_KEY; done, the others may be dropped",
    flags: { json }
  },
  "turn list": { says: "list the accounts and plans with STUN only", flags: { json } }
} satisfies Record<string, Command>

const outcome: Flag = {
  kind: "text",
  says: "done, refused or failed",
  refuse: (text) =>
    auditOutcomes.some((one) => one === text) ? undefined : `: the outcomes are ${auditOutcomes.join(", ")}`
}

/** The same, of one word. */
export const shortAdminCommands = {
  audit: {
    says: "list what was done, newest first: by whom, from where, with which outcome",
    flags: {
      account: { kind: "text", says: "id or e-mail address of one account; of all without it" },
      action: { kind: "text", says: "only this, such as key.created" },
      actor: { kind: "text", says: "only by this key or session, or command_line, administrator" },
      object: { kind: "text", says: "only upon this: an id" },
      outcome,
      since: { kind: "date", says: "not before this ISO 8601 date or time, or a span until now such as 2h" },
      until: { kind: "date", says: "and before this" },
      json: { kind: "switch", says: "print one JSON object per line" }
    }
  }
} satisfies Record<string, Command>

/** The commands of this process itself. */
export const ownCommands = {
  start: {
    says: "run the hub (settings come from the environment, see README)",
    flags: {
      workers: {
        kind: "number",
        refuse: refuseNumber(true, workersMax),
        says: "the number of processes on one port; needs REDIS_URL and DATABASE_URL"
      }
    }
  },
  migrate: { says: "bring the database to this version, then exit", flags: { json } },
  backup: {
    says: "export the embedded database into a file, whether a hub runs or not",
    subject: "file",
    flags: { file: { kind: "text", required: true, says: "the file; one that is there is replaced" }, json }
  },
  restore: {
    says: "put an export in the place of the embedded database; no hub may run",
    subject: "file",
    flags: { file: { kind: "text", required: true, says: "an export of hub backup" }, json }
  },
  doctor: {
    says: "look at all that a hub depends on, and say what is wrong and what to do; a hub may run or not",
    flags: { json }
  },
  help: { says: "show this", flags: { json } },
  version: { says: "show the version", flags: { json } }
} satisfies Record<string, Command>

/** What only the hub itself calls. */
export const innerCommands = {
  worker: {
    says: "one of the processes of hub start --workers",
    subject: "number",
    flags: { number: { kind: "number", refuse: refuseNumber(true, workersMax), required: true, says: "which of them" } }
  }
} satisfies Record<string, Command>

/** The commands with flags of their own: their arguments are passed on unread. */
export const passedCommands = {
  ...integratorWords,
  daemon: "connect this machine to a hub: --url … --token …",
  demo: "start a hub and a daemon and walk through the API (--keep leaves them running)",
  registry: "publish provider packages: publish, promote, yank, restore, list (hub registry --help)",
  bench: "measure this hub on this machine"
} as const
