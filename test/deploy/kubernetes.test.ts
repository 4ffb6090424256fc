/** deploy/kubernetes fits the hub: settings, probes, ports, times, and what the manifests say of each other. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { loadSettings } from "../../src/config.ts"
import { closeMillisMax } from "../../src/limits.ts"
import { fileText, type Manifest, manifests, operatorPaths } from "../support/deployment-files.ts"
import { root } from "../support/root.ts"

const folder = "deploy/kubernetes"
const kustomization = manifests(`${folder}/kustomization.yaml`)[0]!
const all: ReadonlyArray<Manifest> = (kustomization["resources"] as ReadonlyArray<string>).flatMap((file) =>
  manifests(`${folder}/${file}`)
)
const one = (kind: string): Manifest => {
  const found = all.filter((manifest) => manifest["kind"] === kind)
  expect(found).toHaveLength(1)
  return found[0]!
}
const pod = one("Deployment")["spec"].template
const container = pod.spec.containers[0]

const secrets: Record<string, string> = {
  DATABASE_URL: "postgres://hub:secret@postgres:5432/hub",
  REDIS_URL: "redis://redis:6379/0",
  HUB_SECRET_KEY: Buffer.alloc(32, 9).toString("base64")
}
const environment: Record<string, string> = {
  ...one("ConfigMap")["data"],
  ...Object.fromEntries((container.env as ReadonlyArray<Manifest>).map(({ name }) => [name, secrets[name]!]))
}
const settings = () => {
  const loaded = loadSettings(environment)
  if (Result.isFailure(loaded)) throw loaded.failure
  return loaded.success
}

describe("the Kubernetes manifests", () => {
  it("are all part of the kustomization, each with its kind and the one name", () => {
    const files = readdirSync(join(root, folder)).filter((file) => file !== "kustomization.yaml")
    expect(files.sort()).toEqual([...kustomization["resources"]].sort())
    expect(all.map((manifest) => manifest["metadata"].name)).toEqual(all.map(() => "hub"))
    expect(all.every(({ apiVersion, kind }) => typeof apiVersion === "string" && typeof kind === "string")).toBe(true)
  })

  it("set what the hub takes as settings, secrets by reference only", () => {
    expect(settings().databaseUrl).toBe(secrets["DATABASE_URL"])
    for (const { name, value, valueFrom } of container.env as ReadonlyArray<Manifest>)
      expect({ name, value, valueFrom }).toEqual({ name, valueFrom: { secretKeyRef: { name: "hub", key: name } } })
    expect(Object.keys(one("ConfigMap")["data"]).filter((name) => name in secrets)).toEqual([])
    expect(container.envFrom).toEqual([{ configMapRef: { name: one("ConfigMap")["metadata"].name } }])
  })

  it("keep the variables that Kubernetes makes of a service away: one would be HUB_PORT", () =>
    expect(pod.spec.enableServiceLinks).toBe(false))

  it("probe routes of the contract on the port where a node listens, and never kill for want of readiness", () => {
    const [port] = container.ports
    expect(port.containerPort).toBe(settings().port)
    expect(fileText("Dockerfile")).toContain(`EXPOSE ${port.containerPort}\n`)
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(operatorPaths).toContain(probe.httpGet.path)
      expect(probe.httpGet.port).toBe(port.name)
    }
    expect(container.readinessProbe.httpGet.path).toBe("/readyz")
    expect(container.livenessProbe.httpGet.path).toBe("/healthz")
    expect(one("Service")["spec"].ports[0].targetPort).toBe(port.name)
  })

  it("give a node longer to end than it takes at most", () => {
    const before = Number(container.lifecycle.preStop.exec.command[1]) * 1_000
    const drain = settings().drainMillis + closeMillisMax
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(before + drain)
  })

  it("end a node only when another is ready, one at a time", () => {
    expect(one("Deployment")["spec"].strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    expect(one("PodDisruptionBudget")["spec"].maxUnavailable).toBe(1)
  })

  it("mean the same pods by the same labels", () => {
    const { labels } = pod.metadata
    expect(one("Deployment")["spec"].selector.matchLabels).toEqual(labels)
    expect(one("Service")["spec"].selector).toEqual(labels)
    expect(one("PodDisruptionBudget")["spec"].selector.matchLabels).toEqual(labels)
  })

  it("run a node without rights, on a file system it cannot change but for its data folder", () => {
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    expect(container.volumeMounts).toEqual([{ name: "data", mountPath: "/var/lib/hub" }])
    expect(fileText("Dockerfile")).toContain("HUB_DATA_DIR=/var/lib/hub")
  })
})
