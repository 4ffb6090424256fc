/**
 * Limit checks as a program of its own, so that it shares neither memory nor core. Prints its figures as one
 * JSON line `{figures}`. Arguments: the size as JSON, the URL of a Redis where there is one.
 */
import { type LimitsSize, measure } from "./limits.ts"

const [size = "{}", redisUrl] = process.argv.slice(2)
const figures = await measure(JSON.parse(size) as LimitsSize, redisUrl)
process.stdout.write(`${JSON.stringify({ figures })}\n`)
process.exit(0)
