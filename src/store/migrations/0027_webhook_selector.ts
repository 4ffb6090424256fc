/** The daemons that a webhook hears of, by their tags; null: all of its account. */
export const statements: ReadonlyArray<string> = ["alter table webhooks add column selector text"]
