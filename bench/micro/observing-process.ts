/**
 * The cost of the hub's watching of itself as a program of its own. Prints one JSON line, `{count, observe, audit}`.
 * Argument: the size as JSON.
 */
import { measureObserving, type ObservingSize } from "./observing.ts"

const size = JSON.parse(process.argv[2] ?? "{}") as ObservingSize
process.stdout.write(`${JSON.stringify(measureObserving(size))}\n`)
process.exit(0)
