/** Bounds of the exports of the embedded database. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"

/** How often a hub exports its embedded database into its data folder. */
export const exportMillis = 3_600_000
/** How long after its start a hub makes an export that is due, at the earliest. */
export const exportFirstMillis = 60_000
/** Exports that are kept there; with a further one the oldest goes. */
export const exportsKeptMax = 3
/** Text of rows that is read at once while exporting or restoring; a single row may be more. */
export const exportPieceBytes = 4_194_304
/** Rows that are read at once. */
export const exportPieceRowsMax = 2_000
/** How long an export may take, from the copy on; later it is given up. */
export const exportMillisMax = 1_800_000
/** How long after a failed export the next one is tried. */
export const exportRetryMillis = 600_000
/**
 * The database of a hub that runs, on disk; more: no export is made of it, as statements wait while it is copied (about
 * a second and a half a gigabyte).
 */
export const exportLiveBytesMax = 4_294_967_296
/** What must be free on the disk beside the copy of the database, or no export is begun. */
export const exportSpareBytes = 67_108_864

assert(exportFirstMillis < exportMillis)
assert(exportMillisMax < exportMillis, "an export must have ended when the next is due")
