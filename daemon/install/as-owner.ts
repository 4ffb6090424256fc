/**
 * What root does in a folder of another user, done with that user's rights: a link that it has put there leads no
 * further than its own. Owns the change of rights of this process, which does one thing at a time.
 */
import { lstatSync } from "node:fs"

/** Becomes the owner of a folder; the way back. Nothing to do where it is not there, is root's, or this is not root. */
const become = (folder: string): (() => void) => {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  const { geteuid, getegid, getgroups, setgroups, setegid, seteuid } = process
  if (geteuid?.() !== 0 || found === undefined || found.uid === 0) return () => undefined
  if (!getegid || !getgroups || !setgroups || !setegid || !seteuid) return () => undefined
  const [group, groups] = [getegid(), getgroups()]
  setgroups([found.gid])
  setegid(found.gid)
  seteuid(found.uid)
  return () => {
    seteuid(0)
    setegid(group)
    setgroups(groups)
  }
}

/** Does something as the owner of a folder. */
export const asOwnerOf = async <A>(folder: string, work: () => A | Promise<A>): Promise<A> => {
  const back = become(folder)
  try {
    return await work()
  } finally {
    back()
  }
}
