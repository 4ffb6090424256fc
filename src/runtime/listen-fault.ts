/** Explains why the hub cannot listen on an address. Owns the trial and the words; keeps nothing open. */
import { createServer } from "node:net"
import { Effect } from "effect"
import { codeOf } from "./file-fault.ts"

const words: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken: another process listens there",
  EACCES: "may not be listened on by this user",
  EADDRNOTAVAIL: "is no address of this machine",
  EAFNOSUPPORT: "is of IPv6, which this system does not have; 0.0.0.0 is every address of IPv4",
  ENOTFOUND: "is no address: its name is not known",
  EAI_AGAIN: "is no address: its name cannot be looked up now"
}

/** The system's refusal to listen, as a sentence. */
export const listenSentence = (host: string, port: number, cause: unknown): string =>
  `${host}:${port} ${words[codeOf(cause)] ?? "is taken or may not be listened on"} (HUB_HOST, HUB_PORT)`

/** Why it is not possible to listen there now, for a library that does not say. */
export const listenFault = (host: string, port: number): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(Effect.succeed(listenSentence(host, port, cause))))
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => resume(Effect.succeed(listenSentence(host, port, undefined))))
    })
  })
