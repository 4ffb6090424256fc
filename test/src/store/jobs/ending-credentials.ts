/** Keys and grants over one fresh database, with the jobs that they start, and each way in which they end. */
import { Effect, Layer } from "effect"
import { hashCredential } from "../../../../src/auth/api-key.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { Keys } from "../../../../src/store/accounts/api-keys.ts"
import { Jobs } from "../../../../src/store/jobs/jobs.ts"
import { OAuthClients } from "../../../../src/store/oauth/clients.ts"
import { Grants } from "../../../../src/store/oauth/grants.ts"
import { useStore } from "../../../support/store-services.ts"

/** Registers the store of a test file. */
export const useEndingCredentials = () => {
  const store = useStore(Layer.mergeAll(Jobs.layer, Keys.layer, Grants.layer, OAuthClients.layer))
  const jobs = store.using(Jobs)
  const grants = store.using(Grants)

  /** A job of this credential; its id. */
  const start = async (accountId: string, keyId: string): Promise<string> => {
    const jobId = newId("job")
    const rollout = { perMinute: undefined, concurrency: 10, abortAfterFailures: undefined }
    const times = { timeoutMs: 1_000, createdAt: 100, expiresAt: 1_000 }
    const job = { jobId, accountId, type: "screenshot", payload: "sealed", daemonIds: [], rollout, keyId } as const
    await jobs((port) => port.insert({ ...job, ...times }))
    return jobId
  }
  const stopOf = async (accountId: string, jobId: string) => (await jobs((port) => port.find(accountId, jobId)))?.stop

  const key = async (accountId: string) => {
    const id = newId("key")
    const times = { createdAt: 1, expiresAt: null }
    const draft = { id, accountId, name: "", prefix: "hub_", hash: hashCredential(id), scopes: [], ...times }
    await store.using(Keys)((port) => port.insert(draft))
    return { id, end: () => store.using(Keys)((port) => port.revoke(accountId, id, 2)) }
  }
  /** A grant of a client of its own, and the secrets that were given for it: their texts are their hashes here. */
  const granted = async (accountId: string) => {
    const id = newId("grant")
    const clientId = newId("oauthClient")
    const [code, access, refresh] = ["code", "access", "refresh"].map((one) => hashCredential(`${one} ${id}`))
    const client = { id: clientId, name: "", redirectUris: [], refreshes: true, secretHash: null }
    await store.using(OAuthClients)((port) => port.add({ ...client, registeredFrom: null, createdAt: 1 }))
    const asked = { clientId, clientName: "", redirectUri: "", redirectHost: "", challenge: "", resource: "" }
    const personId = accountId.replace("acc_", "per_")
    const good = { scopes: [], selector: null, offline: true, createdAt: 1, expiresAt: 9e12 }
    const tokens = { access: access!, accessExpiresAt: 9e12, refresh, grantExpiresAt: 9e12 }
    const redeem = () =>
      grants((port) =>
        port.redeem(
          code!,
          2,
          () => true,
          id,
          () => tokens
        )
      )
    await grants((port) => port.addCode(code!, { accountId, personId, ...asked, ...good }))
    await redeem()
    return { id, clientId, accountId, access: access!, refresh: refresh!, redeem }
  }
  const spare = () => ({
    access: hashCredential(newId("key")),
    accessExpiresAt: 9e12,
    refresh: undefined,
    grantExpiresAt: 9e12
  })
  const grantEnds = {
    "is disconnected": ({ accountId, id }) => grants((port) => port.end(accountId, undefined, id)),
    "gives a token back": ({ access }) => grants((port) => port.endByToken(access, undefined)),
    "takes its code twice": ({ redeem }) => redeem(),
    "takes a refresh token twice": ({ refresh, clientId }) => {
      const taken = Effect.flatMap(Grants, (port) => port.refresh(refresh, 3, clientId, spare()))
      return store.run(Effect.andThen(taken, taken))
    },
    "is removed as a client": ({ clientId }) => store.using(OAuthClients)((port) => port.remove(clientId))
  } satisfies Record<string, (grant: Awaited<ReturnType<typeof granted>>) => Promise<unknown>>
  const grant = async (accountId: string, how: keyof typeof grantEnds) => {
    const made = await granted(accountId)
    return { id: made.id, end: () => grantEnds[how](made) }
  }
  return { store, start, stopOf, key, grant, ways: Object.keys(grantEnds) as Array<keyof typeof grantEnds> }
}
