/**
 * How terminal commands ended, and what jobs make of it. `output_head`, `output_tail`: what the command wrote first and
 * last. `session_id`: the session that started a job. `payload` stays, sealed, where targets of a job may be tried
 * again. Null throughout: an earlier version wrote the row.
 */
export const statements: ReadonlyArray<string> = [
  "alter table commands add column exit_code bigint",
  "alter table commands add column output_head text",
  "alter table commands add column output_tail text",
  "alter table job_targets add column exit_code bigint",
  "alter table jobs add column success_exit_codes bigint[]",
  "alter table jobs add column steps json",
  "alter table jobs add column name text",
  "alter table jobs add column session_id text",
  "alter table jobs add column retry_of text",
  "alter table jobs add column left_out json"
]
