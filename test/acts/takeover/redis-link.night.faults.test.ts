/**
 * One node that alone cannot reach Redis, because its link is down: where this user may make network namespaces. Real
 * processes.
 */
import { execFileSync } from "node:child_process"
import { it, onTestFinished } from "vitest"
import { partition, startDivided } from "./redis-partition.ts"

const ip = (words: string): void => void execFileSync("ip", words.split(" "), { stdio: "pipe" })
const namespace = `hub${process.pid % 10_000}`
/** One link for Redis, one for all else: [link here, address here, address inside]. */
const [forRedis, forRest] = [
  [`${namespace}r`, "10.201.1.1", "10.201.1.2"],
  [`${namespace}p`, "10.201.2.1", "10.201.2.2"]
] as const

/** Whether there is a namespace now, which is there until the test ends. */
const makeNamespace = (): boolean => {
  try {
    ip(`netns add ${namespace}`)
  } catch {
    return false
  }
  onTestFinished(() => ip(`netns del ${namespace}`))
  for (const [link, here, inside] of [forRedis, forRest]) {
    ip(`link add ${link} type veth peer name ${link}i netns ${namespace}`)
    ip(`addr add ${here}/24 dev ${link}`)
    ip(`link set ${link} up`)
    ip(`-n ${namespace} addr add ${inside}/24 dev ${link}i`)
    ip(`-n ${namespace} link set ${link}i up`)
  }
  ip(`-n ${namespace} link set lo up`)
  return true
}

it("a node whose link to Redis is down keeps its daemons, of whom nobody is told that they are gone, and is part of the hub again afterwards", async ({
  skip
}) => {
  if (!makeNamespace()) return skip("there is no right to make network namespaces")
  const inside = ["ip", "netns", "exec", namespace]
  const { hub } = await startDivided(forRedis[1], { where: { inside, host: forRest[2] }, postgresHost: forRest[1] })
  const [cut, heal] = [() => ip(`link set ${forRedis[0]} down`), () => ip(`link set ${forRedis[0]} up`)]
  await partition(hub, { cut, heal })
})
