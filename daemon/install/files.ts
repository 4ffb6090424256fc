/**
 * Writes what an installation consists of, so that an interrupted one, or a full disk, leaves no half of a file. Owns
 * the saying of each file before it is written, and the dry run that writes none.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import { FileUnusable } from "../refusal.ts"

/** Where an installation writes. */
export interface Files {
  /** Writes a file, and says so; not where it is there with the same text. */
  readonly write: (path: string, content: string | Uint8Array, mode: number) => void
  /** Points a link to a folder or a file. */
  readonly link: (path: string, target: string) => void
  /** Gives a file or a folder to a user; FileUnusable where another one has put a link in its place. */
  readonly give: (path: string, uid: number, gid: number) => void
  readonly remove: (path: string) => void
  /** Only an empty one. */
  readonly removeFolder: (path: string) => void
}

const isSame = (path: string, content: string | Uint8Array): boolean => {
  try {
    return readFileSync(path).equals(Buffer.from(content))
  } catch {
    return false
  }
}

const moved = (path: string, make: (draft: string) => void): void => {
  const draft = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    rmSync(draft, { force: true })
    make(draft)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** By the open file, so that no other one can be put there meanwhile. */
const give = (path: string, uid: number, gid: number): void => {
  const refused = new FileUnusable(`${path} is a link, or has a second name: remove it, and install once more`)
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? refused : error
  }
  try {
    const found = fstatSync(file)
    if (!found.isDirectory() && found.nlink > 1) throw refused
    fchownSync(file, uid, gid)
  } finally {
    closeSync(file)
  }
}

/** `say`: hears a sentence for each change. `isDry`: nothing is written. */
export const makeFiles = (say: (line: string) => void, isDry: boolean): Files => ({
  write: (path, content, mode) => {
    if (isSame(path, content)) return
    say(`writes ${path}`)
    if (isDry) return
    moved(path, (draft) => {
      writeFileSync(draft, content, { mode, flag: "wx" })
      chmodSync(draft, mode)
    })
  },
  link: (path, target) => {
    say(`links ${path} -> ${target}`)
    if (!isDry) moved(path, (draft) => symlinkSync(target, draft))
  },
  give: (path, uid, gid) => {
    if (!isDry) give(path, uid, gid)
  },
  remove: (path) => {
    say(`removes ${path}`)
    if (!isDry) rmSync(path, { recursive: true, force: true })
  },
  removeFolder: (path) => {
    say(`removes ${path}`)
    if (!isDry) rmdirSync(path)
  }
})
