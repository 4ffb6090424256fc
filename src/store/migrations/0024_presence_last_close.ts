/** Why the last time online of a daemon ended, and the close code of its last connection where one is known. */
export const statements: ReadonlyArray<string> = [
  "alter table daemon_presence add column last_end_reason text, add column last_close_code integer"
]
