/**
 * The commands that only talk to a hub: what an integrator and an owner use at a terminal. Owns the flags and help of
 * those without verbs, and all exit codes (0 done, 1 refused, 2 not understood, 130 interrupted); each file beside does
 * one of them, verbs.ts those of a subject.
 */
import {
  ArgumentError,
  asksHelp,
  type Flags,
  flagLines,
  readArguments,
  refuseNumber,
  type Values
} from "../src/cli/arguments.ts"
import type { IntegratorWord } from "../src/cli/integrator-words.ts"
import { plainLines } from "../src/runtime/escape.ts"
import { callHub } from "./call.ts"
import { follow, type PlacedEvent } from "./follow.ts"
import { listed } from "./given-values.ts"
import { jobVerbs } from "./jobs.ts"
import { joinKeyVerbs } from "./join-keys.ts"
import { listen, listenSecret } from "./listen.ts"
import { login, logout, whoami } from "./login.ts"
import { isMethod, isStatusFilter, listRequests, methods, type RequestFilter, tailRequests } from "./logs.ts"
import { invitationVerbs, memberVerbs } from "./people.ts"
import { profileOf } from "./profiles.ts"
import { Refusal } from "./refusal.ts"
import { serviceAccountVerbs } from "./service-accounts.ts"
import { tagVerbs } from "./tags.ts"
import { Interrupted, processTerminal, type Terminal } from "./terminal.ts"
import { trigger, triggerable } from "./trigger.ts"
import { runVerb } from "./verbs.ts"
import { testWebhook, webhookTest } from "./webhook-test.ts"
import { webhookVerbs } from "./webhooks.ts"

const profile = { kind: "text", says: "the name of a saved login (default: default)" } as const
const event = { kind: "text", many: true, says: "only this event; may be given more than once" } as const
const json = { kind: "switch", says: "print one JSON value a line" } as const

const programs = {
  login: {
    words: 0,
    usage: "hub login [--url URL]",
    says: "save an API key, which is asked for (or piped, in HUB_KEY, or allowed in a browser), readable for you only",
    flags: {
      url: { kind: "url", says: "the hub (default: $HUB_URL, else http://127.0.0.1:8080)" },
      device: { kind: "switch", says: "ask for no key: a signed-in person allows one in a browser" },
      scopes: {
        kind: "list",
        says: "with --device: what the key is to allow, with commas (default: all but terminal:exec, registry:publish)"
      },
      "daemon-token": { kind: "text", says: "the token for hub trigger, of a daemon that runs nowhere else" },
      profile
    }
  },
  logout: { words: 0, usage: "hub logout", says: "forget a saved login", flags: { profile } },
  whoami: {
    words: 0,
    usage: "hub whoami",
    says: "show whose key is saved, and what it may do",
    flags: { profile, json }
  },
  call: {
    words: 2,
    usage: "hub call METHOD PATH [--data JSON|@FILE|-]",
    says: "send one request with the saved key and print its answer (exit code 1 when it is an error)",
    flags: {
      data: { kind: "text", says: "the JSON body; @FILE reads a file, - standard input" },
      header: { kind: "text", many: true, says: '"Name: value"; may be given more than once' },
      include: { kind: "switch", says: "show status and headers on standard error" },
      profile
    }
  },
  events: {
    words: 1,
    usage: "hub events tail",
    says: "print the account's events as they happen",
    flags: {
      event,
      daemon: { kind: "text", many: true, says: "only of this daemon; may be given more than once" },
      after: { kind: "text", says: "resume behind this id" },
      profile
    }
  },
  logs: {
    words: 1,
    usage: "hub logs tail|list [--status 4xx]",
    says: "print the latest API requests that were made with the saved key; tail goes on with what is new",
    flags: {
      status: {
        kind: "text",
        refuse: (text: string) =>
          isStatusFilter(text) ? undefined : " is a status, a class such as 4xx, or none (the caller left)",
        says: "only this status or class: 429, 4xx, none"
      },
      method: {
        kind: "text",
        refuse: (text: string) => (isMethod(text) ? undefined : ` is one of ${methods.join(", ")}`),
        says: "only this method"
      },
      reason: { kind: "text", says: "only with this reason: RATE_LIMITED" },
      operation: { kind: "text", says: "only this operation of the API: daemons.status" },
      path: { kind: "text", says: "only with a path that contains this" },
      key: { kind: "text", says: "with --account: only of this key (its id), or session" },
      account: { kind: "switch", says: "of the whole account: its owner signs in" },
      last: {
        kind: "number",
        refuse: refuseNumber(true, 1_000),
        says: "how many of the latest (default: 50, tail: 10)"
      },
      profile,
      json
    }
  },
  listen: {
    words: 0,
    usage: "hub listen --forward-to URL",
    says: "post each event to a local address, signed as a webhook's delivery",
    flags: {
      "forward-to": { kind: "url", says: "where to, such as http://localhost:3000/hooks" },
      event,
      after: { kind: "text", says: "resume behind this id" },
      "print-secret": { kind: "switch", says: "print the secret that signs, and end" },
      profile,
      json
    }
  },
  trigger: {
    words: 1,
    usage: "hub trigger EVENT",
    says: `have the hub send one of ${[...triggerable, webhookTest].join(", ")}`,
    flags: {
      webhook: { kind: "text", says: `the webhook that ${webhookTest} tests, where there are several` },
      profile
    }
  }
} satisfies Readonly<Record<string, { words: number; usage: string; says: string; flags: Flags }>>

const verbsOf = {
  invitation: invitationVerbs,
  job: jobVerbs,
  joinkey: joinKeyVerbs,
  member: memberVerbs,
  "service-account": serviceAccountVerbs,
  tag: tagVerbs,
  webhook: webhookVerbs
} as const

type Environment = Readonly<Record<string, string | undefined>>
type ProgramName = keyof typeof programs
const hasVerbs = (command: IntegratorWord): command is keyof typeof verbsOf => Object.hasOwn(verbsOf, command)

type Given<N extends ProgramName> = Values<(typeof programs)[N]["flags"]>
type Program<N extends ProgramName> = (
  given: Given<N>,
  words: ReadonlyArray<string>,
  environment: Environment,
  terminal: Terminal
) => Promise<boolean> | boolean

const filterOf = ({ status, method, reason, operation, path, key }: Given<"logs">): RequestFilter => ({
  ...(status !== undefined && { status }),
  ...(method !== undefined && isMethod(method) && { method }),
  ...(reason !== undefined && { reason }),
  ...(operation !== undefined && { operation }),
  ...(path !== undefined && { pathContains: path }),
  ...(key !== undefined && { key })
})

const done = async (work: Promise<void> | void): Promise<boolean> => {
  await work
  return true
}

const run: { readonly [N in ProgramName]: Program<N> } = {
  login: (given, _, environment, terminal) => {
    const { url, profile: name, "daemon-token": daemonToken, device, scopes } = given
    const input = { url, profile: name, daemonToken, device: device === true, scopes: listed(scopes?.split(",")) }
    return done(login(input, environment, terminal))
  },
  logout: ({ profile: name }, _, environment, terminal) => done(logout(name, environment, terminal)),
  whoami: (given, _, environment, terminal) => done(whoami(given.profile, given.json === true, environment, terminal)),
  call: ({ data, header = [], include, profile: name }, [method, path], environment, terminal) => {
    if (method === undefined || path === undefined)
      throw new ArgumentError("METHOD and PATH are missing: hub call GET /api/v1/me")
    const input = { method, path, data, headers: header, profile: name, include: include === true }
    return callHub(input, environment, terminal)
  },
  events: (given, [verb], environment, terminal) => {
    if (verb !== "tail") throw new ArgumentError("hub events is followed by tail")
    const following = { events: listed(given.event), daemons: listed(given.daemon), after: given.after }
    const seen = ({ id, data }: PlacedEvent): void => terminal.sayJson({ id, ...data })
    const opened = (): void => terminal.complain("following the account's events; Ctrl-C ends it")
    return done(follow(profileOf(given.profile, environment), following, terminal, seen, opened))
  },
  logs: (given, [verb], environment, terminal) => {
    if (verb !== "tail" && verb !== "list") throw new ArgumentError("hub logs is followed by tail or list")
    const last = Number(given.last ?? (verb === "tail" ? 10 : 50))
    const showing = { filter: filterOf(given), last, json: given.json === true, account: given.account === true }
    const work = verb === "tail" ? tailRequests : listRequests
    return done(work(profileOf(given.profile, environment), showing, environment, terminal))
  },
  listen: (given, _, environment, terminal) => {
    const saved = profileOf(given.profile, environment)
    if (given["print-secret"] === true) return done(listenSecret(saved, terminal).then(terminal.say))
    const forwardTo = given["forward-to"]
    if (forwardTo === undefined)
      throw new ArgumentError("--forward-to is missing: hub listen --forward-to http://localhost:3000/hooks")
    const following = { events: listed(given.event), daemons: [], after: given.after }
    return done(listen(saved, { ...following, forwardTo, json: given.json === true }, terminal))
  },
  trigger: ({ profile: name, webhook }, [event], environment, terminal) => {
    if (event === undefined)
      throw new ArgumentError(`EVENT is missing: one of ${[...triggerable, webhookTest].join(", ")}`)
    if (event === webhookTest) return testWebhook(profileOf(name, environment), webhook, environment, terminal)
    if (webhook !== undefined) throw new ArgumentError(`--webhook belongs to ${webhookTest}`)
    return done(trigger(profileOf(name, environment), name, event, environment, terminal))
  }
}

const interrupted = 130

const runProgram = (
  command: ProgramName,
  args: ReadonlyArray<string>,
  environment: Environment,
  terminal: Terminal
): Promise<boolean> | boolean => {
  const { words: wordsMax, usage, says, flags } = programs[command]
  if (asksHelp(args)) {
    terminal.say(`usage: ${usage}\n       ${says}\n\n${flagLines(flags).join("\n")}`)
    return true
  }
  const { values, words } = readArguments({ name: "it", flags: flags as Flags, wordsMax }, args)
  return (run[command] as Program<never>)(values as never, words, environment, terminal)
}

/** Runs one of them; gives the exit code. */
export const integrator = async (
  command: IntegratorWord,
  args: ReadonlyArray<string>,
  environment: Environment = process.env,
  terminal: Terminal = processTerminal()
): Promise<number> => {
  try {
    const done = hasVerbs(command)
      ? await runVerb(command, verbsOf[command], args, environment, terminal)
      : await runProgram(command, args, environment, terminal)
    return terminal.signal.aborted ? interrupted : done ? 0 : 1
  } catch (error) {
    // what a signal ended fails in whichever way it can
    if (error instanceof Interrupted || terminal.signal.aborted) return interrupted
    const misused = error instanceof ArgumentError
    if (!misused && !(error instanceof Refusal)) throw error
    terminal.complain(plainLines(`hub ${command}: ${error.message}`))
    return misused ? 2 : 1
  }
}
