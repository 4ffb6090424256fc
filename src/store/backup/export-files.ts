/** The exports in a hub's data folder. Owns their names and which of them are deleted; writes none. */
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { exportsKeptMax } from "../../limits/backup.ts"

/** The folder of the exports in this data folder. */
export const exportsFolder = (dataDir: string): string => join(dataDir, "backups")

// Their order by name is their order in time.
const shape = /^hub-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z\.backup$/u

/** The file of an export begun at this time (epoch milliseconds). */
export const exportName = (at: number): string => `hub-${new Date(at).toISOString().replace(/[:.]/gu, "-")}.backup`

const timeOf = (name: string): number => {
  const [day, time] = name.slice("hub-".length, -".backup".length).split("T") as [string, string]
  const [hours, minutes, seconds, millis] = time.slice(0, -1).split("-")
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}.${millis}Z`)
}

/** The names of the exports, oldest first; none where the folder cannot be read. */
const names = (dataDir: string): ReadonlyArray<string> => {
  try {
    return readdirSync(exportsFolder(dataDir))
      .filter((name) => shape.test(name))
      .sort()
  } catch {
    return [] // no such folder yet
  }
}

/** The newest export; undefined when there is none. */
export const newestExport = (dataDir: string): string | undefined => {
  const name = names(dataDir).at(-1)
  return name === undefined ? undefined : join(exportsFolder(dataDir), name)
}

/** When the newest export was begun (epoch milliseconds); undefined when there is none. */
export const newestExportAt = (dataDir: string): number | undefined => {
  const name = names(dataDir).at(-1)
  return name === undefined ? undefined : timeOf(name)
}

/** Where in that folder the copy lies that an export is made from. */
export const copyFolder = (dataDir: string): string => join(exportsFolder(dataDir), ".copy")

const draftEnd = ".part"

/** The file of an export until it is whole. */
export const draftOf = (file: string): string => `${file}${draftEnd}`

/** Removes what a killed hub left of an export: a copy as large as the database, and a part of a file. */
export const removeUnfinished = (dataDir: string): void => {
  const folder = exportsFolder(dataDir)
  rmSync(copyFolder(dataDir), { recursive: true, force: true })
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.endsWith(draftEnd) || !shape.test(name.slice(0, -draftEnd.length))) continue
    rmSync(join(folder, name), { force: true })
  }
}

/** Removes all but the newest, those first that were made while the clock was ahead: by name they would outlast all. */
export const removeOldExports = (dataDir: string, now: number): void => {
  const all = names(dataDir)
  const ahead = all.filter((name) => timeOf(name) > now)
  for (const name of [...ahead, ...all.filter((name) => !ahead.includes(name))].slice(0, -exportsKeptMax))
    rmSync(join(exportsFolder(dataDir), name), { force: true })
}
