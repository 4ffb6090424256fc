/** The rows of the settings of traces, which have the names that OpenTelemetry gives them. Owns their words. */
import * as kinds from "./kinds.ts"

/** The rows. They take any text: other programs of the same environment may be given what the hub does not know. */
export const tracing = {
  otelEndpoint: {
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    kind: kinds.url("http", "https"),
    reason: "Where traces are sent, with `/v1/traces` after it (OTLP over HTTP). Absent: nothing is traced"
  },
  otelTracesEndpoint: {
    env: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    kind: kinds.url("http", "https"),
    reason: "The same, as a whole address"
  },
  otelHeaders: {
    env: "OTEL_EXPORTER_OTLP_HEADERS",
    kind: kinds.text,
    reason: "Headers of these requests: `name=value`, separated by commas",
    secret: true
  },
  otelTracesHeaders: {
    env: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    kind: kinds.text,
    reason: "Further ones, which win",
    secret: true
  },
  otelProtocol: {
    env: "OTEL_EXPORTER_OTLP_PROTOCOL",
    kind: kinds.text,
    standard: "http/protobuf",
    reason: "`http/json` sends JSON; anything else counts as the default"
  },
  otelServiceName: {
    env: "OTEL_SERVICE_NAME",
    kind: kinds.text,
    reason: "The `service.name` of the spans. Absent: that of the attributes, else `hub`"
  },
  otelResourceAttributes: {
    env: "OTEL_RESOURCE_ATTRIBUTES",
    kind: kinds.text,
    reason: "Attributes of this node: `name=value`, separated by commas"
  },
  otelSampler: {
    env: "OTEL_TRACES_SAMPLER",
    kind: kinds.text,
    standard: "parentbased_always_on",
    reason: "Which traces are kept ([docs/tracing.md](docs/tracing.md)); an unknown name counts as the default"
  },
  otelSamplerArg: {
    env: "OTEL_TRACES_SAMPLER_ARG",
    kind: kinds.text,
    reason: "Their share, 0 to 1, for the samplers that end in `traceidratio`"
  },
  otelDisabled: { env: "OTEL_SDK_DISABLED", kind: kinds.text, standard: "false", reason: "`true`: nothing is traced" }
} as const
