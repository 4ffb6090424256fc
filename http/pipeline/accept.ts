/** Who is shown a page: what a caller's `Accept` prefers. Owns its reading; makes no page. */

/** The weight that an `Accept` gives to this very type; 0 where it does not name it. */
const weightOf = (accept: string, type: string): number => {
  const ranges = accept.split(",").map((range) => range.trim().toLowerCase())
  const named = ranges.find((range) => range.split(";", 1)[0]!.trim() === type)
  if (named === undefined) return 0
  return Number(/;\s*q=([\d.]+)/u.exec(named)?.[1] ?? 1)
}

/** Browsers accept HTML by name; programs accept JSON, anything, or send no `Accept`. */
export const prefersPage = (accept: string): boolean =>
  weightOf(accept, "text/html") > weightOf(accept, "application/json")
