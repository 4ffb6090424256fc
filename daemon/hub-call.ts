/**
 * One call to the hub over HTTP, through the proxy of the environment where there is one. Owns the bound of its answer;
 * follows no redirect and judges no status.
 */
import { type IncomingHttpHeaders, type RequestOptions, request as requestPlain } from "node:http"
import { request as requestSecure } from "node:https"
import { proxyAgent } from "./proxy.ts"

/** What is called. */
export interface HubCall {
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Of the answer; more: it fails. */
  readonly bytesMax: number
  readonly signal: AbortSignal
}

/** An answer, whole. */
export interface HubAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The answer has more bytes than it may. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** Calls the hub. */
export const callHub = (
  address: URL,
  { method = "GET", headers, body, bytesMax, signal }: HubCall
): Promise<HubAnswer> =>
  new Promise((resolve, reject) => {
    const request = address.protocol === "https:" ? requestSecure : requestPlain
    const agent = proxyAgent(address.href)
    const options: RequestOptions = { method, headers: { ...headers }, signal, ...(agent !== undefined && { agent }) }
    const sent = request(address, options, (response) => {
      const chunks: Array<Buffer> = []
      let bytes = 0
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > bytesMax) sent.destroy(new AnswerTooLarge("the hub's answer is too large"))
      })
      response.on("error", reject)
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response
        if (response.complete) resolve({ status, headers, body: Buffer.concat(chunks) })
        else reject(new Error("the hub's answer was cut off"))
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })
