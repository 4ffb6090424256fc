/** The parts of an AsyncAPI document that the tests read. */

/** A message of a channel. */
export interface Message {
  readonly name: string
  readonly payload: { readonly $ref: string }
}

/** A document. */
export interface AsyncApiDocument {
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly channels: Readonly<
    Record<string, { readonly address: string | null; readonly messages: Readonly<Record<string, Message>> }>
  >
  readonly operations: Readonly<
    Record<string, { readonly action: string; readonly messages: ReadonlyArray<{ readonly $ref: string }> }>
  >
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}
