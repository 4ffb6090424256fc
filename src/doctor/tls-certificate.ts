/** Whether the certificate that the hub serves is good, for how long and for which name. Owns the judgement. */
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import { Clock, Effect, Result } from "effect"
import { checkTls } from "../config/tls-files.ts"
import type { Settings } from "../config.ts"
import { certificateDaysFew, certificateDaysShort, chainCertificatesMax } from "../limits/doctor.ts"
import { error, type Finding, ok, skipped, warning } from "./finding.ts"

const check = "tls certificate"
const dayMillis = 86_400_000
const renew = "renew the certificate, put it at HUB_TLS_CERT and start the hub anew"

const chainOf = (file: string): ReadonlyArray<X509Certificate> =>
  (readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu) ?? [])
    .slice(0, chainCertificatesMax)
    .map((pem) => new X509Certificate(pem))

const day = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const judgeDates = (chain: ReadonlyArray<X509Certificate>, now: number): Finding => {
  const begins = Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom)))
  const ends = Math.min(...chain.map(({ validTo }) => Date.parse(validTo)))
  if (now < begins)
    return error(check, `not valid before ${day(begins)}`, "set this computer's clock, or take another certificate")
  if (now >= ends) return error(check, `ended on ${day(ends)}: every caller refuses it`, renew)
  const days = Math.floor((ends - now) / dayMillis)
  const found = `good until ${day(ends)} (${days} days)`
  if (days < certificateDaysFew) return error(check, found, renew)
  return days < certificateDaysShort ? warning(check, found, renew) : ok(check, found)
}

const judgeName = (certificate: X509Certificate, publicUrl: string | undefined): Finding => {
  const name = "tls name"
  if (publicUrl === undefined) return skipped(name, "HUB_PUBLIC_URL does not say under which name callers come")
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/gu, "")
  const held = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
  if (held !== undefined) return ok(name, `the certificate is for ${host}`)
  return warning(
    name,
    `the certificate is not for ${host}, the host of HUB_PUBLIC_URL`,
    "take one for that name, unless a proxy before the hub has it"
  )
}

/** Reads the files as the hub does at its start. */
export const checkCertificate = (settings: Settings): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const { tlsCert, publicUrl } = settings
    if (tlsCert === undefined) return [ok(check, "TLS is not served here; a proxy before the hub may")]
    const usable = yield* Effect.result(checkTls(settings))
    if (Result.isFailure(usable)) return [error(check, usable.failure.sentence, "correct HUB_TLS_CERT and HUB_TLS_KEY")]
    const chain = chainOf(tlsCert)
    if (chain.length === 0) return [skipped(check, `${tlsCert} does not hold its certificates as plain PEM`)]
    return [judgeDates(chain, yield* Clock.currentTimeMillis), judgeName(chain[0]!, publicUrl)]
  })
