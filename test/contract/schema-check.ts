/**
 * Holds JSON against the schemas of an OpenAPI or AsyncAPI document, by ajv. Owns the loading of ajv, whose types are
 * not there before install-tools.ts has run.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import { toolsFolder } from "./outside-tools.ts"

interface Ajv {
  readonly addSchema: (schema: object, name: string) => unknown
  readonly validate: (reference: string, value: unknown) => boolean
  readonly errorsText: () => string
}

/** A part of a pointer (RFC 6901) in a reference. */
const part = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))

/** A check of values against the schema at a place of the document: what does not fit, undefined when all does. */
export const schemaCheck = (document: object) => {
  const require = createRequire(join(toolsFolder, "package.json"))
  const { Ajv2020 } = require(join(toolsFolder, "node_modules/ajv/dist/2020.js")) as {
    readonly Ajv2020: new (options: object) => Ajv
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(document, "document")
  return (place: ReadonlyArray<string>, value: unknown): string | undefined =>
    ajv.validate(`document#/${place.map(part).join("/")}`, value) ? undefined : ajv.errorsText()
}
