/** What compose.yaml promises of Postgres and Redis beside the hub's use of them. Owns these two checks. */
import { until } from "../support/until.ts"
import { type CheckList, same } from "./check-list.ts"
import type { Person } from "./client-calls.ts"
import { type Containers, podman } from "./containers.ts"
import type { Role } from "./podman-options.ts"

/** Postgres keeps what it has in its volume; Redis answers nobody without the password; no secret is in a list. */
export const checkStores = async (
  roles: ReadonlyArray<Role>,
  secrets: ReadonlyArray<string>,
  containers: Containers,
  person: Person,
  checks: CheckList
): Promise<void> => {
  await checks.check("redis", "it answers nobody without the password", async () => {
    const answer = await containers.inside("redis", "sh", "-c", "unset REDISCLI_AUTH; redis-cli ping 2>&1 || true")
    if (!answer.startsWith("NOAUTH")) throw new Error(`it answers ${answer}`)
  })
  for (const { name } of roles) {
    await checks.check(name, "no secret is in its list of processes", async () => {
      const list = await containers.inside(name, "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
      if (secrets.some((secret) => list.includes(secret))) throw new Error("one is")
    })
  }
  const postgres = roles.find(({ name }) => name === "postgres")!
  await checks.check(
    "postgres",
    "a new container on its volume has the account still, and the nodes find it",
    async () => {
      same("its exit code", String(await containers.stop(postgres)), "0")
      await podman(["rm", containers.of("postgres")])
      await containers.start(postgres)
      await containers.becomesHealthy("postgres")
      await until("a person signs in", () => person.signIn(), 60_000)
    }
  )
}
