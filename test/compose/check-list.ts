/** What was checked of each role and what came of it. Owns the lines that are printed and the count of failures. */

/** Collects what held and what did not. */
export class CheckList {
  private failures = 0

  get failed(): number {
    return this.failures
  }

  /** Something that was not checked, and why. */
  leftOut(role: string, what: string): void {
    process.stdout.write(`not checked  ${role}: ${what}\n`)
  }

  /** Runs a check; gives what it gave, or undefined where it failed. */
  async check<A>(role: string, what: string, check: () => Promise<A>): Promise<A | undefined> {
    try {
      const result = await check()
      process.stdout.write(`ok           ${role}: ${what}\n`)
      return result
    } catch (error) {
      this.failures += 1
      process.stdout.write(`FAILED       ${role}: ${what}\n${String(error instanceof Error ? error.message : error)}\n`)
      return undefined
    }
  }
}

/** An error with both sides unless they are the same text. */
export const same = (what: string, found: string, wanted: string): void => {
  if (found !== wanted) throw new Error(`${what}: ${found}, and not ${wanted}`)
}
