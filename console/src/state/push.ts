/**
 * Whether this browser is told of questions while no page is open. Owns its subscription, in the browser and at the
 * hub, which ends with the sign-out and when another person signs in; push-worker/ shows what comes.
 */
import { createClient } from "@hub/client"
import { linkTo } from "../routing.ts"
import { client, onSignOut, session } from "./session.ts"

/** Where it is kept under which id the hub knows this browser, and whose it is. */
const place = "hub.console.push"
const scope = "/console"

/** Whether the browser can: not all do, and some only for a page that is installed. */
export const canBeTold = "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis

const subscribed = async (): Promise<PushSubscription | null> => {
  const worker = canBeTold ? await navigator.serviceWorker.getRegistration(scope) : undefined
  return (await worker?.pushManager.getSubscription()) ?? null
}

const kept = () => {
  const [id = "", email] = (localStorage.getItem(place) ?? "").split(" ", 2)
  return id === "" ? undefined : { id, email }
}

/** The id of this browser at the hub; undefined: it is told nothing. */
export const ownBrowser = async (): Promise<string | undefined> =>
  (await subscribed()) === null ? undefined : kept()?.id

const subscribe = async (applicationServerKey: string): Promise<PushSubscription> => {
  await navigator.serviceWorker.register("/console/push-worker.js", { scope })
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey }
  try {
    return await pushManager.subscribe(options)
  } catch (error) {
    // one that was made with another key, of an earlier hub at this address
    const before = await pushManager.getSubscription()
    if (before === null) throw error
    await before.unsubscribe()
    return pushManager.subscribe(options)
  }
}

/** Has this browser told of questions; the person is asked whether it may show them. */
export const turnOn = async (showsSubject: boolean): Promise<void> => {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("This browser is set to show no notifications of this page.")
  const { publicKey } = await client.pushSubscriptions.list()
  const { endpoint, keys } = (await subscribe(publicKey)).toJSON()
  const { p256dh = "", auth = "" } = keys ?? {}
  const { id } = await client.pushSubscriptions.add({ endpoint: endpoint ?? "", keys: { p256dh, auth }, showsSubject })
  localStorage.setItem(place, `${id} ${session.value?.email}`)
}

/** Has it told nothing more. What the hub does not hear of now, the push service says at the next message. */
export const turnOff = async (token: string): Promise<void> => {
  const before = await subscribed()
  const id = before === null ? undefined : kept()?.id
  if (id === undefined) return
  localStorage.removeItem(place)
  const removed = createClient({ url: location.origin, credential: token, retries: 1 }).pushSubscriptions.remove({
    pushSubscriptionId: id
  })
  await Promise.allSettled([before?.unsubscribe(), removed])
}

/** Does what ends that all browsers of a person are told; this one goes on being told. */
export const stayTold = async <A>(act: () => Promise<A>): Promise<A> => {
  const own = await ownBrowser()
  const before = own === undefined ? [] : (await client.pushSubscriptions.list()).subscriptions
  const done = await act()
  const showsSubject = before.find(({ id }) => id === own)?.showsSubject
  // it is done whatever becomes of this, and the settings show whether this browser is told
  if (showsSubject !== undefined) await turnOn(showsSubject).catch(() => undefined)
  return done
}

/** What was told to who signed in here before is none of the next person's business. */
const turnOffForAnother = async (email: string): Promise<void> => {
  const before = await subscribed()
  if (before === null || kept()?.email === email) return
  localStorage.removeItem(place)
  await before.unsubscribe()
}

/** Goes where a notification leads to, and ends with the person. */
export const followPush = (): void => {
  if (!canBeTold) return
  onSignOut(turnOff)
  session.listen((now) => {
    if (now !== undefined) void turnOffForAnother(now.email).catch(() => undefined)
  })
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data === "approvals") location.hash = linkTo("approvals")
  })
}
