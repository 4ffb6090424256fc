/**
 * Where spans are sent and what is said of their sender, from the standard settings of OpenTelemetry. Owns how those
 * are read; what does not fit is left out, since other programs of the same environment share them.
 */
import type { Settings } from "../config.ts"
import { resourceAttributesMax } from "../limits/tracing.ts"

/** Where, and as whom. */
export interface ExportTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly format: "json" | "protobuf"
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // not percent-encoded
  }
}

/** `name=value,name=value`, both percent-encoded. */
export const readPairs = (text: string | undefined): Readonly<Record<string, string>> => {
  const pairs: Record<string, string> = {}
  for (const one of (text ?? "").split(",").slice(0, resourceAttributesMax)) {
    const at = one.indexOf("=")
    const [name, value] = [decoded(one.slice(0, Math.max(0, at)).trim()), decoded(one.slice(at + 1).trim())]
    if (name !== undefined && name !== "" && value !== undefined) pairs[name] = value
  }
  return pairs
}

const usualName = "hub"

/** The target; undefined: none is set, or tracing is switched off. */
export const exportTarget = (settings: Settings): ExportTarget | undefined => {
  const { otelEndpoint, otelTracesEndpoint, otelHeaders, otelTracesHeaders, otelProtocol, otelServiceName } = settings
  const url =
    otelTracesEndpoint ?? (otelEndpoint === undefined ? undefined : `${otelEndpoint.replace(/\/+$/u, "")}/v1/traces`)
  if (url === undefined || settings.otelDisabled.toLowerCase() === "true") return undefined
  const { "service.name": named = usualName, ...attributes } = readPairs(settings.otelResourceAttributes)
  return {
    url,
    headers: { ...readPairs(otelHeaders), ...readPairs(otelTracesHeaders) },
    format: otelProtocol === "http/json" ? "json" : "protobuf",
    serviceName: otelServiceName ?? named,
    attributes
  }
}
