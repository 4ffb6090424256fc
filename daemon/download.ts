/**
 * Downloads a program from the hub: from nowhere else, without the daemon's token, and nothing whose checksum is
 * another. Owns the one call; writes nothing.
 */
import { hash } from "node:crypto"
import { callHub } from "./hub-call.ts"
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

/** The program. Fails with a DownloadRefused where another try is of no use. */
export const download = async (wanted: Wanted): Promise<Buffer> => {
  const { sha256, signal } = wanted
  const { status, body } = await callHub(addressOf(wanted), { bytesMax: programBytesMax, signal })
  if (status !== 200) throw new Error(`the hub answered ${status}`)
  if (hash("sha256", body, "hex") === sha256) return body
  throw new DownloadRefused("the program that came has another checksum")
}
