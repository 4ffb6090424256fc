/** The API key that started a job: with its revocation the job ends. Null: a person did, or an older version. */
export const statements: ReadonlyArray<string> = [
  "alter table jobs add column key_id text",
  "create index jobs_of_key on jobs (key_id) where key_id is not null and state = 'running'"
]
