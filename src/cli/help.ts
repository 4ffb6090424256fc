/**
 * The help of one command or one group of them, and the help of all as a value. Owns the words around cli/grammar.ts's.
 */
import { adminCommands, type Command, flagLine, ownCommands, passedCommands } from "./grammar.ts"

const all: Readonly<Record<string, Command>> = { ...ownCommands, ...adminCommands }

const ofOne = (name: string, { says, flags, subject }: Command): ReadonlyArray<string> => [
  `usage: hub ${name}${subject === undefined ? "" : ` <${subject}>`}${Object.keys(flags).length === 0 ? "" : " [flags]"}`,
  `  ${says}`,
  ...Object.entries(flags).map(flagLine)
]

/** The commands of this name or group (`key create`, `key`); undefined when there are none. */
export const commandHelp = (name: string): string | undefined => {
  const found = Object.entries(all).filter(([one]) => one === name || one.startsWith(`${name} `))
  return found.length === 0 ? undefined : found.map(([one, command]) => ofOne(one, command).join("\n")).join("\n\n")
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
