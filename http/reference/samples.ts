/**
 * A call of each operation in curl, TypeScript and Python, made from the call that a hub has answered (examples.json).
 * Owns their text. A test runs every one against a server that compares what arrives.
 */
import { examples } from "./examples.ts"
import type { Json } from "./json-schemas.ts"
import type { Operation } from "./operations.ts"

/** The languages, in the order in which they are shown. */
export const languages = ["curl", "TypeScript", "Python"] as const
export type Language = (typeof languages)[number]

/** A call as it was answered. */
export interface SampleCall {
  /** The operation's name, as in the client; undefined: the client has no method for it. */
  readonly name: string | undefined
  readonly method: string
  /** With the query, as it was called. */
  readonly path: string
  readonly template: string
  /** The environment variable with the credential; undefined: none is needed. */
  readonly credential: "HUB_KEY" | "HUB_SESSION" | "HUB_JOIN_KEY" | undefined
  readonly body: unknown
  /** The members of the query that are lists. */
  readonly lists: ReadonlyArray<string>
  readonly answer: "json" | "text" | "stream" | "bytes" | "redirect" | "none"
}

/** Operations that a browser is sent through: no program calls them by the client. */
const ofBrowsers: ReadonlySet<string> = new Set(["auth.begin", "auth.callback"])

const answerOf = ({ method, access, spec }: Operation): SampleCall["answer"] => {
  if (method === "head") return "none"
  const responses = spec["responses"] as Readonly<Record<string, { content?: Json }>>
  const good = responses["200"] ?? responses["201"] ?? responses["202"]
  if (good === undefined) return "redirect"
  if (access.streams !== undefined) return "stream"
  const types = Object.keys(good.content ?? {})
  if (types.includes("application/json")) return "json"
  return types.some((type) => type.startsWith("text/")) ? "text" : "bytes"
}

const credentialOf = ({ kind, recent }: Operation["access"]): SampleCall["credential"] => {
  if (kind === "public") return undefined
  if (kind === "joinKey") return "HUB_JOIN_KEY"
  return kind === "session" || recent === true ? "HUB_SESSION" : "HUB_KEY"
}

/** The call that stands for an operation. */
export const sampleCallOf = (operation: Operation): SampleCall => {
  const id = String(operation.spec["operationId"])
  const isHead = operation.method === "head"
  const recorded = isHead ? id.replace(/Head$/u, "") : id
  const body = operation.spec["requestBody"] as { content: Record<string, { example?: unknown }> } | undefined
  return {
    name: isHead || ofBrowsers.has(id) ? undefined : id,
    method: operation.method.toUpperCase(),
    path: examples.operations[recorded]?.path ?? operation.path,
    template: operation.path,
    credential: credentialOf(operation.access),
    body: body?.content["application/json"]?.example,
    lists: ((operation.spec["parameters"] ?? []) as ReadonlyArray<Json>).flatMap((one) =>
      (one["schema"] as Json | undefined)?.["type"] === "array" ? [String(one["name"])] : []
    ),
    answer: answerOf(operation)
  }
}

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A credential's header in the shell. */
const curl = ({ method, path, credential, body, answer }: SampleCall): string => {
  const verb =
    method === "HEAD" ? " --head" : method === "GET" || (method === "POST" && body !== undefined) ? "" : ` -X ${method}`
  const lines = [
    `curl${answer === "stream" ? " --no-buffer" : ""}${verb} "$HUB_URL${path}"`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...(body === undefined ? [] : [`-H 'content-type: application/json' -d ${inShell(JSON.stringify(body))}`]),
    ...(answer === "bytes" ? ["-o package"] : [])
  ]
  return lines.join(" \\\n  ")
}

/** A value in JavaScript, on several lines where one would be long. */
const inScript = (value: unknown): string => {
  const short = JSON.stringify(value)
  const text = short.length > 60 ? JSON.stringify(value, null, 2) : spaced(value)
  return text.replace(/"([A-Za-z_$][\w$]*)":/gu, "$1:")
}

/** A value as JSON on one line, with spaces. */
const spaced = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${spaced(one)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/** What the client's method is given: the members of path, query and body together. */
const inputOf = ({ path, template, body, lists }: SampleCall): Readonly<Record<string, unknown>> => {
  const [called, query = ""] = path.split("?") as [string, string?]
  const parts = called.split("/")
  const named = template.split("/").flatMap((part, at) => {
    const name = /^\{(\w+)\}$/u.exec(part)?.[1]
    return name === undefined ? [] : [[name, decodeURIComponent(parts[at] ?? "")] as const]
  })
  const asked = [...new URLSearchParams(query)].map(([name, value]) => [name, lists.includes(name) ? [value] : value])
  return { ...Object.fromEntries([...named, ...asked]), ...(body as object | undefined) }
}

/** A variable of the sample's own environment. */
const variable = (name: string): string => ["process", "env", name].join(".")

const fetched = ({ method, path, credential }: SampleCall): string => {
  const bearer = `\`Bearer \${${variable(credential ?? "")}}\``
  const headers = credential === undefined ? "" : `, headers: { authorization: ${bearer} }`
  const given = `{ method: "${method}"${headers}, redirect: "manual" }`
  return `const answer = await fetch(\`\${${variable("HUB_URL")}}${path}\`, ${given})\nconsole.log(answer.status)`
}

const typescript = (call: SampleCall): string => {
  const { name, credential, answer } = call
  if (name === undefined) return fetched(call)
  const input = inputOf(call)
  const given = Object.keys(input).length === 0 ? (answer === "stream" ? "{}" : "") : inScript(input)
  const options = credential === undefined ? "" : `, credential: ${variable(credential)}!`
  const made = `createClient({ url: ${variable("HUB_URL")}!${options} })`
  const head = `import { createClient } from "@hub/client"\n\nconst client = ${made}\n`
  if (answer === "stream") {
    return `${head}\nfor await (const item of client.${name}(${given})) {\n  if (item.type === "event") console.log(item.data)\n}`
  }
  return `${head}\nconst answer = await client.${name}(${given})`
}

/** A value as Python writes it. */
const inPython = (value: unknown, indent = "    "): string => {
  if (value === null) return "None"
  if (value === true) return "True"
  if (value === false) return "False"
  if (typeof value !== "object") return JSON.stringify(value)
  const inner = `${indent}    `
  const all = Array.isArray(value)
    ? value.map((one) => inPython(one, inner))
    : Object.entries(value as object).map(([name, one]) => `${JSON.stringify(name)}: ${inPython(one, inner)}`)
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  const short = `${open}${all.join(", ")}${close}`
  return short.length <= 80 ? short : `${open}\n${all.map((one) => `${inner}${one},\n`).join("")}${indent}${close}`
}

const reads: Readonly<Record<SampleCall["answer"], string>> = {
  json: "    print(json.load(answer))",
  text: "    print(answer.read().decode())",
  bytes: '    open("package", "wb").write(answer.read())',
  stream: '    for line in answer:\n        if line.startswith(b"data:"):\n            print(json.loads(line[5:]))',
  redirect: "    print(answer.status)",
  none: "    print(answer.status)"
}

const python = ({ method, path, credential, body, answer }: SampleCall): string => {
  const headers = [
    ...(credential === undefined ? [] : [`"Authorization": "Bearer " + os.environ["${credential}"]`]),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"'])
  ]
  const isPlain = reads[answer].includes("json.") || body !== undefined
  return [
    `import ${isPlain ? "json, " : ""}os, urllib.request`,
    "",
    "request = urllib.request.Request(",
    `    os.environ["HUB_URL"] + ${JSON.stringify(path)},`,
    `    method="${method}",`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(", ")}},`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${inPython(body)}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as answer:",
    reads[answer]
  ].join("\n")
}

/** The samples of an operation. */
export const samplesOf = (operation: Operation): Readonly<Record<Language, string>> => {
  const call = sampleCallOf(operation)
  return { curl: curl(call), TypeScript: typescript(call), Python: python(call) }
}
