/** The trace that a delivery's event belongs to, where that is kept: its attempts may be made on another node. */
export const statements: ReadonlyArray<string> = ["alter table deliveries add column trace text"]
