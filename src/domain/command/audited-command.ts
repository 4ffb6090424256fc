/** Which commands are in the audit log. Owns the list: what only reads what a daemon shows is not. */
import type { CommandType } from "../../protocol/frames.ts"

const reads: ReadonlySet<CommandType> = new Set(["read_chat", "read_log"])

/** Whether a command of this type is audited. */
export const isAudited = (type: CommandType): boolean => !reads.has(type)
