/** Where a device asked from, as limits count addresses: one address has a share of the codes under way. */
export const statements: ReadonlyArray<string> = [
  "alter table device_codes add column address text not null default ''"
]
