/** Servers with the tests' certificate, for `localhost`, and a proxy that ends TLS before hubs. Asserts nothing. */
import { readFileSync } from "node:fs"
import { type RequestListener, request } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Agent, fetch as undiciFetch } from "undici"
import { root } from "./root.ts"

const read = (name: string): string => readFileSync(join(root, "test/support/tls", name), "utf8")

/** The certificate, which is its own authority. */
export const testCertificate = read("cert.pem")

/** Starts one; its port is the system's choice unless given. */
export const startTlsServer = async (listener: RequestListener, port = 0) => {
  const server = createServer({ cert: testCertificate, key: read("key.pem") }, listener)
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** A proxy at this port: each request goes to the next of the targets, which are read anew each time. */
export const startTlsProxy = (port: number, targets: () => ReadonlyArray<string>) => {
  let nth = 0
  return startTlsServer((incoming, outgoing) => {
    const all = targets()
    const target = new URL(incoming.url ?? "/", all[nth++ % all.length])
    const { method, headers } = incoming
    const passed = request(target, { method, headers } as object, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on("error", () => outgoing.destroy())
    incoming.pipe(passed)
  }, port)
}

/** `fetch` of a program that trusts the certificate. */
export const trustingFetch = (): { readonly fetch: typeof fetch; readonly close: () => Promise<void> } => {
  const dispatcher = new Agent({ connect: { ca: testCertificate } })
  return {
    fetch: (async (input: string, init: object) => {
      const { body, status, headers } = await undiciFetch(input, { ...init, dispatcher })
      // the platform's own, by which a client knows an answer
      return new Response(body as never, { status, headers: headers as never })
    }) as unknown as typeof fetch,
    close: () => dispatcher.destroy()
  }
}
