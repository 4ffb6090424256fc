/**
 * The bill of materials (`npm run sbom`, CycloneDX 1.5): all packages of the lock file, with their hashes and licences.
 */
import { describe, expect, it } from "vitest"
import { type LockedPackage, lockedPackages, nameOf } from "../support/lock-file.ts"
import { runScript } from "../support/npm.ts"

interface Component {
  readonly "bom-ref": string
  readonly type: string
  readonly purl: string
  readonly licenses?: ReadonlyArray<{ readonly expression?: string; readonly license?: { readonly id: string } }>
  readonly hashes?: ReadonlyArray<{ readonly alg: string; readonly content: string }>
  readonly properties: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

interface BillOfMaterials {
  readonly bomFormat: string
  readonly specVersion: string
  readonly serialNumber: string
  readonly version: number
  readonly metadata: { readonly timestamp: string; readonly component: Component }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

const seen = ({ type, purl, hashes = [], licenses = [], properties }: Component) => ({
  type,
  purl,
  hash: hashes.map(({ alg, content }) => `${alg} ${content}`).join(),
  license: licenses.map(({ expression, license }) => expression ?? license?.id).join(),
  isForDevelopment: properties.some(({ name }) => name === "cdx:npm:package:development")
})

/** A package under another name is listed under its own. */
const purlOf = (one: LockedPackage): string => `pkg:npm/${(one.name ?? nameOf(one)).replace("@", "%40")}@${one.version}`

const wanted = (one: LockedPackage): ReturnType<typeof seen> => ({
  type: "library",
  purl: purlOf(one),
  hash: `SHA-512 ${Buffer.from(one.integrity!.replace("sha512-", ""), "base64").toString("hex")}`,
  license: one.license!,
  isForDevelopment: one.dev === true
})

const inOrder = (all: ReadonlyArray<ReturnType<typeof seen>>) =>
  all.toSorted((one, other) => (one.purl < other.purl ? -1 : 1))

describe("the bill of materials", () => {
  const bill = JSON.parse(runScript("sbom")) as BillOfMaterials

  it("is one of CycloneDX 1.5, of this version of the hub", () => {
    const { bomFormat, specVersion, serialNumber, version, metadata } = bill
    expect([bomFormat, specVersion, version]).toEqual(["CycloneDX", "1.5", 1])
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u)
    expect(Number.isNaN(Date.parse(metadata.timestamp))).toBe(false)
    expect(metadata.component["bom-ref"]).toMatch(/^hub@\d+\.\d+\.\d+$/u)
  })

  it("has every package of the lock file, with its SHA-512 and its licence, and tells what is for development", () => {
    const packages = bill.components.filter(({ purl }) => !purl.startsWith("pkg:npm/%40hub/"))
    expect(inOrder(packages.map(seen))).toEqual(inOrder(lockedPackages().map(wanted)))
  })

  it("says of each what it needs, and names nothing that is not in it", () => {
    expect(new Set(bill.components.map((one) => one["bom-ref"])).size).toBe(bill.components.length)
    const known = new Set([bill.metadata.component, ...bill.components].map((one) => one["bom-ref"]))
    expect(new Set(bill.dependencies.map(({ ref }) => ref))).toEqual(known)
    expect(bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref))).toEqual([])
  })
})
