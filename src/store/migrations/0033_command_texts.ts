/** What a kept command ran, as far as `HUB_AUDIT_COMMANDS` has it shown. Null: nothing is. */
export const statements: ReadonlyArray<string> = ["alter table commands add column said text"]
