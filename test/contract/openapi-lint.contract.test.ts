/** The OpenAPI document under two linters; redocly.yaml and spectral.yaml say which of their rules are off, and why. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { Api } from "../../http/api/api.ts"
import { referenceOf } from "../../http/reference/document.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { runTool, toolsFolder } from "./outside-tools.ts"

interface RedoclyProblem {
  readonly severity: string
  readonly ruleId: string
  readonly message: string
  readonly location: ReadonlyArray<{ readonly pointer?: string }>
}

interface SpectralProblem {
  readonly severity: number
  readonly code: string
  readonly message: string
  readonly path: ReadonlyArray<string>
}

// each waits for a process of its own
describe.skipIf(inject("contractToolsMissing")).concurrent("the OpenAPI document", () => {
  let folder: string
  beforeAll(() => {
    folder = testFolder("lint")
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(referenceOf(Api, "https://hub.test").document))
  })

  it("passes Redocly without an error or a warning", async () => {
    const rules = ["--config", join(toolsFolder, "redocly.yaml"), "--format", "json", "--max-problems", "1000"]
    const { out, err } = await runTool("redocly", ["lint", "openapi.json", ...rules], folder)
    const { problems } = JSON.parse(out || `"${err}"`) as { readonly problems: ReadonlyArray<RedoclyProblem> }
    expect(problems.map((one) => `${one.ruleId} ${one.location[0]?.pointer ?? ""}: ${one.message}`)).toEqual([])
  })

  it("passes Spectral without an error, a warning or a hint", async () => {
    const rules = ["--ruleset", join(toolsFolder, "spectral.yaml"), "--format", "json", "--quiet"]
    const { out, err } = await runTool("spectral", ["lint", "openapi.json", ...rules], folder)
    const problems = JSON.parse(out || `"${err}"`) as ReadonlyArray<SpectralProblem>
    expect(problems.map(({ code, path, message }) => `${code} ${path.join("/")}: ${message}`)).toEqual([])
  })
})
