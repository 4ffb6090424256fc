/** How much memory this process may take: its container's limit, or what the machine has. Owns the reading only. */
import { totalmem } from "node:os"

/** Without a limit the system says 0, or more than there is. */
export const memoryBytes = (constrained = process.constrainedMemory(), total = totalmem()): number =>
  constrained > 0 ? Math.min(constrained, total) : total
