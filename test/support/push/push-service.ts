/** A push service of the tests. Owns a server on a free port, what it took, and what it answers, by path. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { type Browser, decryptMessage, makeBrowser, readVapid } from "./browser-keys.ts"

/** Starts one. A message whose sender does not show itself for this service is answered 403, and is not kept. */
export const startPushService = async () => {
  const taken: Array<{ readonly path: string; readonly body: Buffer; readonly headers: IncomingHttpHeaders }> = []
  const answers = new Map<string, number>()
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { url: path = "", headers } = request
    const sender = readVapid(headers.authorization ?? "")
    if (sender?.claims.aud !== `http://${headers.host}`) return response.writeHead(403).end()
    taken.push({ path, body: Buffer.concat(chunks), headers })
    return response.writeHead(answers.get(path) ?? 201).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** A browser, with what it gives the hub. */
    browser: (path: string) => {
      const browser = makeBrowser()
      return { browser, path, body: { endpoint: url + path, keys: { p256dh: browser.p256dh, auth: browser.auth } } }
    },
    answer: (path: string, status: number) => answers.set(path, status),
    /** What a browser was sent, decrypted, with the headers. */
    sent: ({ browser, path }: { readonly browser: Browser; readonly path: string }) =>
      taken
        .filter((one) => one.path === path)
        .map(({ body, headers }) => ({ headers, said: JSON.parse(decryptMessage(body, browser)) })),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
