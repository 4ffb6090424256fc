/**
 * Downloads a program from the hub: from nowhere else, without the daemon's token, and nothing whose checksum is
 * another. Owns the one call; writes nothing.
 */
import { hash } from "node:crypto"
import { get as getPlain } from "node:http"
import { get as getSecure } from "node:https"
import { programBytesMax } from "./limits.ts"

/** What is asked for. */
export interface Wanted {
  /** The hub, as its address begins. */
  readonly hub: string
  /** A path of the hub, or an address of it. */
  readonly url: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly signal: AbortSignal
}

/** It will not be otherwise the next time; why, in words. */
export class DownloadRefused extends Error {
  override readonly name = "DownloadRefused"
}

/** Where it is. Throws where that is not the hub. */
const addressOf = ({ hub, url }: Wanted): URL => {
  const prefix = new URL(`${hub}/`)
  const at = URL.canParse(url, prefix) ? new URL(url.replace(/^\/(?!\/)/u, ""), prefix) : undefined
  if (at === undefined || at.origin !== prefix.origin) throw new DownloadRefused("the address is not one of this hub")
  return at
}

const read = (address: URL, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const get = address.protocol === "https:" ? getSecure : getPlain
    const request = get(address, { signal }, (response) => {
      if (response.statusCode !== 200) {
        response.resume()
        reject(new Error(`the hub answered ${response.statusCode}`))
        return
      }
      const chunks: Array<Buffer> = []
      let bytes = 0
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > programBytesMax) request.destroy(new DownloadRefused("the program is too large"))
      })
      response.on("error", reject)
      response.on("end", () =>
        response.complete ? resolve(Buffer.concat(chunks)) : reject(new Error("the answer was cut off"))
      )
    })
    request.on("error", reject)
  })

/** The program. Fails with a DownloadRefused where another try is of no use. */
export const download = async (wanted: Wanted): Promise<Buffer> => {
  const { sha256, signal } = wanted
  const program = await read(addressOf(wanted), signal)
  if (hash("sha256", program, "hex") === sha256) return program
  throw new DownloadRefused("the program that came has another checksum")
}
