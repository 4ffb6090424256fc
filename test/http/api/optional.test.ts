/** Null is absent: for each optional member of each body of the contract, and as the OpenAPI document says. */
import { SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { decodersOf } from "../../../http/pipeline/decode.ts"
import { referenceOf } from "../../../http/reference/document.ts"

type Path = ReadonlyArray<string | number>

interface Body {
  readonly name: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly ast: SchemaAST.AST
}

const bodies: Array<Body> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const schema = endpoint.payload.get("application/json")?.schemas[0]
    const name = `${endpoint.method} ${endpoint.path}`
    if (schema !== undefined) bodies.push({ name, endpoint: endpoint as HttpApiEndpoint.Top, ast: schema.ast })
  }
})

/** A value with every member, and the paths of those that are optional. */
const sample = (ast: SchemaAST.AST, at: Path = [], optional: Array<Path> = []): unknown => {
  if (ast._tag === "String") return "word"
  if (ast._tag === "Number") return 1
  if (ast._tag === "Boolean") return true
  if (ast._tag === "Literal") return ast.literal
  if (ast._tag === "Union") return sample(ast.types[0]!, at, optional)
  if (ast._tag === "Arrays") return [sample((ast.elements[0] ?? ast.rest[0])!, [...at, 0], optional)]
  if (ast._tag !== "Objects") return "anything"
  return Object.fromEntries(
    ast.propertySignatures.map(({ name, type }) => {
      const here = [...at, String(name)]
      if (SchemaAST.isOptional(type)) optional.push(here)
      return [name, sample(type, here, optional)]
    })
  )
}

/** A copy in which one member is null, or left out. */
const changed = (value: unknown, [first, ...rest]: Path, how: "null" | "absent"): unknown => {
  const copy = structuredClone(value) as Record<string | number, unknown>
  if (rest.length > 0) copy[first!] = changed(copy[first!], rest, how)
  else if (how === "null") copy[first!] = null
  else delete copy[first!]
  return copy
}

/** A key's end is told apart: null says never, and absent leaves it to the hub. */
const neverByNull = /^POST \/api\/v1\/(?:api|join)-keys: expiresAt$/u

const cases = bodies.flatMap(({ name, endpoint, ast }) => {
  const optional: Array<Path> = []
  const value = sample(ast, [], optional)
  return optional.map((path) => [`${name}: ${path.join(".")}`, endpoint, value, path] as const)
})

describe("an optional member of a body that is null", () => {
  it("is looked for in every body of the contract", () => {
    expect(bodies.length).toBeGreaterThanOrEqual(13)
    const named = cases.map(([name]) => name)
    for (const one of [
      "POST /api/v1/shortcuts/:ideId/chat: input.parts.0.text",
      "POST /api/v1/daemons/:daemonId/command: payload",
      "POST /api/v1/registry/providers: manifest",
      "PATCH /api/v1/webhooks/:webhookId: url"
    ]) {
      expect(named).toContain(one)
    }
  })

  it.each(cases)("is absent: %s", (name, endpoint, value, path) => {
    const { payload } = decodersOf(endpoint, 1_000_000)
    const read = (given: unknown) => payload({ kind: "whole", text: JSON.stringify(given) })
    const without = read(changed(value, path, "absent"))
    expect(without).toHaveProperty("value")
    const given = read(changed(value, path, "null"))
    if (neverByNull.test(name)) expect(given).toMatchObject({ value: { expiresAt: null } })
    else expect(given).toEqual(without)
  })

  it("may be null by the OpenAPI document", () => {
    const { document, operations } = referenceOf(Api, "http://127.0.0.1")
    // biome-ignore lint/suspicious/noExplicitAny: the document has the shape of OpenAPI
    const schemas = (document as any).components.schemas
    let members = 0
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const look = (schema: any, where: string): void => {
      if (schema?.$ref !== undefined) return look(schemas[schema.$ref.split("/").at(-1)], where)
      for (const one of schema?.anyOf ?? []) look(one, where)
      if (schema?.items) look(schema.items, `${where}[]`)
      for (const [name, member] of Object.entries<Record<string, unknown>>(schema?.properties ?? {})) {
        if (schema.required?.includes(name) !== true) {
          members++
          expect(JSON.stringify(member), `${where}.${name}`).toMatch(/"type":(?:"null"|\["\w+","null"\])/u)
        }
        look(member, `${where}.${name}`)
      }
    }
    for (const { spec, path } of operations) {
      const { requestBody } = spec as { requestBody?: { content: Record<string, { schema: unknown }> } }
      look(requestBody?.content["application/json"]?.schema, path)
    }
    expect(members).toBe(cases.length)
  })
})

describe("an optional word of a body that is empty", () => {
  const reading = (name: string) => {
    const { endpoint } = bodies.find((one) => one.name === name)!
    const { payload } = decodersOf(endpoint, 1_000_000)
    return (given: unknown) => payload({ kind: "whole", text: JSON.stringify(given) })
  }

  it("is absent: dir and model of a launch, agentType", () => {
    const launch = reading("POST /api/v1/shortcuts/:daemonId/launch")
    expect(launch({ type: "t", dir: "", model: "" })).toEqual({ value: { type: "t" } })
    expect(launch({ type: "t", dir: "/d", model: "m" })).toEqual({ value: { type: "t", dir: "/d", model: "m" } })
    const approve = reading("POST /api/v1/shortcuts/:ideId/approve")
    expect(approve({ action: "approve", agentType: "" })).toEqual({ value: { action: "approve" } })
  })

  it("is refused when it is blank, and where it must be there", () => {
    const launch = reading("POST /api/v1/shortcuts/:daemonId/launch")
    for (const body of [{ type: "" }, { type: "t", model: " " }]) expect(launch(body)).toHaveProperty("failure")
  })
})
