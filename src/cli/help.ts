/**
 * The help: of all commands, of one command or one group of them, and of all as a value. Owns the words around those of
 * cli/grammar.ts.
 */
import { flagLines } from "./arguments.ts"
import { adminCommands, type Command, ownCommands, passedCommands, shortAdminCommands } from "./grammar.ts"

const all: Readonly<Record<string, Command>> = { ...ownCommands, ...adminCommands, ...shortAdminCommands }

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `    ${line}`)

const withoutJson = ({ flags }: Command) =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => name !== "json"))

const ofOne = (name: string, { says, flags, subject }: Command): string =>
  [
    `usage: hub ${name}${subject === undefined ? "" : ` <${subject}>`}${Object.keys(flags).length === 0 ? "" : " [flags]"}`,
    `  ${says}`,
    ...flagLines(flags)
  ].join("\n")

/** The commands of this name or group (`key create`, `key`); undefined when there are none. */
export const commandHelp = (name: string): string | undefined => {
  const found = Object.entries(all).filter(([one]) => one === name || one.startsWith(`${name} `))
  return found.length === 0 ? undefined : found.map(([one, command]) => ofOne(one, command)).join("\n\n")
}

const commandLine = (name: string, says: string): string => `  ${name.padEnd(18)} ${says}`

/** The commands by what they are for, each under its first word. The last group has all that no other names. */
const groups: ReadonlyArray<readonly [title: string, words: ReadonlyArray<string>]> = [
  ["Run a hub", ["start", "migrate", "backup", "restore", "doctor", "secret", "bench", "demo"]],
  ["Accounts and credentials", ["account", "key", "token", "audit", "turn"]],
  ["Machines", ["daemon"]],
  ["Use a hub from here", ["login", "logout", "whoami", "call", "events", "logs", "listen", "trigger", "registry"]],
  ["More", []]
]

const groupOf = (name: string): string => {
  const [word] = name.split(" ")
  return (groups.find(([, words]) => words.includes(word!)) ?? groups.at(-1)!)[0]
}

/** One line per command, one per flag, in groups. */
export const helpText = (): string => {
  const described: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ...Object.entries(all).map(
      ([name, command]) =>
        [name, [commandLine(name, command.says), ...indented(flagLines(withoutJson(command)))]] as const
    ),
    ...Object.entries(passedCommands).map(([name, says]) => [name, [commandLine(name, says)]] as const),
    ["client pack", [commandLine("client pack", "build and pack @hub/client, to be installed by npm (./hub alone)")]],
    ["test", [commandLine("test", "run every test (arguments go to vitest)")]]
  ]
  return [
    "usage: hub <command> [flags]",
    ...groups.flatMap(([title]) => [
      "",
      `${title}:`,
      ...described.flatMap(([name, lines]) => (groupOf(name) === title ? lines : []))
    ]),
    "",
    "hub <command> --help shows one command. Every account, key, token, secret, daemon list, show and disconnect, and turn command, audit, doctor, help and version take --json.",
    "Exit codes: 0 done, 1 refused or failed, 2 not understood, 130 interrupted."
  ].join("\n")
}

/** Every command and its flags. */
export const helpValue = () => ({
  commands: [
    ...Object.entries(all).map(([name, { says, flags }]) => ({
      name,
      says,
      flags: Object.entries(flags).map(([flag, { kind, required, says }]) => ({
        name: flag,
        kind,
        required: required === true,
        says
      }))
    })),
    ...Object.entries(passedCommands).map(([name, says]) => ({ name, says }))
  ]
})
