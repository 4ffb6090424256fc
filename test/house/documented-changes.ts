/** The examples of docs/changing.md, put into the sources. Owns how such a block is read; writes nothing. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../support/root.ts"

const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The lines of a hunk that are there before it, or after it. */
const side = (hunk: string, left: " +" | " -"): string =>
  hunk
    .split("\n")
    .filter((line) => line !== "" && left.includes(line.charAt(0)))
    .map((line) => `${line.slice(1)}\n`)
    .join("")

/**
 * The texts of the files that the examples change, by path. A block names files by `--- path`, has hunks with `@@`
 * between them, and of each hunk what is there already must stand in the file once.
 */
export const documentedChanges = (): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  const blocks = Array.from(read("docs/changing.md").matchAll(/^```diff\n(.*?)^```$/gmsu), ([, block]) => block!)
  for (const part of blocks.flatMap((block) => block.split(/^--- /mu).slice(1))) {
    const path = part.slice(0, part.indexOf("\n"))
    for (const hunk of part.slice(path.length + 1).split(/^@@\n/mu)) {
      const [before, text] = [side(hunk, " -"), texts.get(path) ?? read(path)]
      const found = text.split(before).length - 1
      if (found !== 1) throw new Error(`docs/changing.md: ${path} has ${found} times:\n${before}`)
      texts.set(
        path,
        text.replace(before, () => side(hunk, " +"))
      )
    }
  }
  return texts
}
