/** Where stored commands are. Owns that path. */
export const commandsPath = "/api/v1/commands"

/** The path of one. */
export const commandPath = (commandId: string): string => `${commandsPath}/${commandId}`
