/** How the hub opens PGlite. Owns the parameters of its start; speaks no SQL. */
import { PGlite } from "@electric-sql/pglite"

/**
 * PGlite's own 128 MB are written at each start and stay resident: with these a hub holds 100 MB less
 * (`./hub bench start`). What is not in them the system's file cache has.
 */
const sharedBuffers = "32MB"

/** Opens the database of this folder; without one it lives in memory. */
export const openInstance = (folder: string | undefined): Promise<PGlite> =>
  PGlite.create(folder, { startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${sharedBuffers}`] })
