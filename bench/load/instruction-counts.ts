/**
 * Instructions that a process executes, counted by valgrind's callgrind: much the same on a busy machine as on a quiet
 * one. Owns callgrind's words and the reading of what it writes; starts no process.
 */
import { execFile, execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { UsageError } from "../usage-error.ts"

const run = promisify(execFile)
const annotatedBytesMax = 64 * 1_048_576

/** The words that run a program under callgrind. It counts only while it is told to; its dumps go into this folder. */
export const underCallgrind = (folder: string): ReadonlyArray<string> => {
  try {
    execFileSync("valgrind", ["--version"], { stdio: "ignore" })
  } catch {
    throw new UsageError("this bench needs valgrind: apt-get install valgrind")
  }
  const out = `--callgrind-out-file=${join(folder, "callgrind.%p")}`
  return ["valgrind", "--tool=callgrind", "--quiet", "--instr-atstart=no", out]
}

/** Of V8's work while it runs a program: what its compilers and its garbage collector do, at a time of their own. */
const ofEngine =
  /v8::internal::(?:compiler|maglev|baseline|interpreter|Marking|Concurrent|Sweep|Scaveng|Evacuat|MarkCompact|Heap)|turboshaft|LiveRange|LinearScan|Register(?:Allocator|Configuration)|SourcePosition|Zone(?:List)?::|IterateObjectCache|heap::base|[Mm]arkingVisitor|RootVisitor/u
const row = /^\s*([\d,]+) \([\d. ]+%\)\s+(.*)$/u

/** The instructions that a listing of `callgrind_annotate` has, without those of V8's compilers and collector. */
export const instructionsOf = (listing: string): number => {
  let sum = 0
  for (const line of listing.split("\n")) {
    const [, count, name] = row.exec(line) ?? []
    if (name === undefined || name === "PROGRAM TOTALS" || ofEngine.test(name)) continue
    sum += Number(count!.replaceAll(",", ""))
  }
  return sum
}

const tell = (pid: number, word: string): Promise<unknown> => run("callgrind_control", [word, String(pid)])

/** Instructions of this process, all its threads, while `work` runs; `folder`: as the process was started with. */
export const countInstructions = async (
  folder: string,
  pid: number,
  work: () => Promise<number>
): Promise<{ readonly done: number; readonly instructions: number }> => {
  await tell(pid, "--instr=on")
  const done = await work()
  await tell(pid, "--dump")
  await tell(pid, "--instr=off")
  const dumps = readdirSync(folder).filter((name) => name.startsWith(`callgrind.${pid}.`))
  const dump = join(folder, dumps.sort((a, b) => Number(a.split(".").at(-1)) - Number(b.split(".").at(-1))).at(-1)!)
  const { stdout } = await run("callgrind_annotate", ["--threshold=100", dump], { maxBuffer: annotatedBytesMax })
  return { done, instructions: instructionsOf(stdout) }
}
