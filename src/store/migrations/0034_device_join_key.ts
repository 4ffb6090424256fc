/** Whether the person of a device also lets it connect machines for demonstrations: it then gets a join key too. */
export const statements: ReadonlyArray<string> = [
  "alter table device_codes add column join_key boolean not null default false"
]
