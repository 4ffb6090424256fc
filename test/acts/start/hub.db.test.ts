/** A whole hub, from the port to the database: it starts, serves, restarts and ends in order. */
import { getDefaultAutoSelectFamilyAttemptTimeout } from "node:net"
import { expect, it } from "vitest"
import { addressMillisMax } from "../../../src/limits/delivery.ts"
import { useHub } from "../../support/hub.ts"
import { readPrometheus } from "../../support/prometheus-text.ts"

const hub = useHub({ virtual: true })

it("a hub gives each address of a name that it connects to 2 s, in every library", () => {
  expect(addressMillisMax).toBe(2_000)
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(addressMillisMax)
})

it("a hub shows its figures to this machine", async () => {
  await hub.request("GET", "/readyz")
  const { status, text, headers } = await hub.request("GET", "/metrics")
  expect(status).toBe(200)
  expect(headers.get("content-type")).toContain("text/plain")
  expect(text).toContain("# TYPE hub_requests_total counter")
  expect(text).toMatch(/^hub_exchanges 1$/mu)
  const readyzAnswers = (of: string): number => {
    const { samples } = readPrometheus(of).get("hub_request_duration_seconds")!
    return samples.get('hub_request_duration_seconds_count{method="GET",route="/readyz",status="2xx"}')!
  }
  await hub.request("GET", "/readyz")
  expect(readyzAnswers((await hub.request("GET", "/metrics")).text) - readyzAnswers(text)).toBe(1)
  expect(readPrometheus(text).has("nodejs_eventloop_lag_max_seconds")).toBe(true)
})
