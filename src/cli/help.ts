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

/** One line per command, one per flag. */
export const helpText = (): string =>
  [
    "usage: hub <command> [flags]",
    "",
    ...Object.entries(all).flatMap(([name, command]) => [
      commandLine(name, command.says),
      ...indented(flagLines(withoutJson(command)))
    ]),
    ...Object.entries(passedCommands).map(([name, says]) => commandLine(name, says)),
    commandLine("test", "run every test (arguments go to vitest)"),
    "",
    "hub <command> --help shows one command. Every account, key, token, secret, daemon list, show and disconnect, and turn command, audit, doctor, help and version take --json.",
    "Exit codes: 0 done, 1 refused or failed, 2 not understood, 130 interrupted."
  ].join("\n")

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
