/**
 * When the last time online of a daemon ended, so that the next one is never dated before it: a claim may be held up on
 * its way to the database while the daemon comes and goes on another node, and clocks of nodes differ.
 */
export const statements: ReadonlyArray<string> = ["alter table daemon_presence add column last_ended_at bigint"]
