/**
 * What the reference page does in a browser: search, the language of the samples, copying, and calls with the reader's
 * own credential. Without it the page is whole to read. The credential stays in this tab and goes to this hub only.
 */
const all = (selector, root = document) => [...root.querySelectorAll(selector)]
const one = (selector, root = document) => root.querySelector(selector)
const make = (tag, members = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), members)
  element.append(...children)
  return element
}
const stored = (store, name, value) => {
  try {
    if (value === undefined) return store.getItem(name)
    store.setItem(name, value)
  } catch {
    // a browser that stores nothing only forgets
  }
  return null
}

const articles = all("article[data-path]")
/** Calls, guides, errors and shapes. */
const searched = all("[data-words]")
const kindOf = ({ dataset, id }) =>
  dataset.path !== undefined ? "call" : id.startsWith("error-") ? "error" : id.startsWith("shape-") ? "shape" : "guide"
const search = () => {
  const wanted = one("#search").value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = { call: 0, guide: 0, error: 0, shape: 0 }
  for (const element of searched) {
    const fits = wanted.every((word) => element.dataset.words.includes(word))
    element.hidden = !fits
    const link = one(`nav a[href="#${CSS.escape(element.id)}"]`)
    if (link !== null) link.parentElement.hidden = !fits
    if (fits) found[kindOf(element)]++
  }
  for (const section of all("section")) section.hidden = all("[data-words]:not([hidden])", section).length === 0
  for (const group of all("nav [data-group]")) group.hidden = all("li:not([hidden])", group).length === 0
  one("nav").classList.toggle("found", wanted.length > 0)
  const told = Object.entries(found).flatMap(([kind, count]) =>
    count === 0 && kind !== "call" ? [] : `${count} ${kind}${count === 1 ? "" : "s"}`
  )
  one("#count").textContent = wanted.length === 0 ? "" : told.join(", ")
}

const guidesFoundMax = 20
let guides
/** The guides are other pages: what they say is asked for once, when the reader first searches. */
const searchGuides = async () => {
  guides ??= fetch("/docs/search.json").then((answer) => (answer.ok ? answer.json() : []))
  const all = await guides.catch(() => [])
  const wanted = one("#search").value.toLowerCase().split(/\s+/).filter(Boolean)
  const isNamed = ({ title }) => wanted.every((word) => title.toLowerCase().includes(word))
  const named = wanted.length === 0 ? [] : all.filter(isNamed)
  const told = wanted.length === 0 ? [] : all.filter(({ words }) => wanted.every((word) => words.includes(word)))
  const found = new Set([...named, ...told])
  const item = ({ at, title }) => {
    const page = at.replace(/^\/docs\/|#.*$/g, "").replaceAll("-", " ")
    return make("li", {}, make("a", { href: at, textContent: `${title} (${page})` }))
  }
  one("#found").replaceChildren(...[...found].slice(0, guidesFoundMax).map(item))
}

const choose = (language) => {
  for (const sample of all("[data-language]")) sample.hidden = sample.dataset.language !== language
  for (const button of all("button[data-choose]"))
    button.setAttribute("aria-pressed", String(button.dataset.choose === language))
  stored(localStorage, "reference-language", language)
}

const bytesShownMax = 200_000
/** Reads an answer piece by piece: a stream is shown while it goes on. */
const show = async (answer, output) => {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (reader !== undefined && text.length < bytesShownMax) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    output.textContent = text
  }
  if (text.length >= bytesShownMax) await reader.cancel()
  try {
    output.textContent = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    output.textContent = text
  }
}

const headersShown = ["x-request-id", "ratelimit", "retry-after", "content-type", "location", "etag"]
const call = async (article, form, signal) => {
  const [status, output] = [one("[role=status]", form), one("output", form)]
  let path = article.dataset.path
  const query = new URLSearchParams()
  const headers = {}
  for (const { name, value, dataset } of all("input[data-in]", form)) {
    if (dataset.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== "" && dataset.in === "query") query.append(name, value)
    else if (value !== "" && dataset.in === "header") headers[name] = value
  }
  const credential = one("#credential").value.trim()
  if (credential !== "") headers.authorization = `Bearer ${credential}`
  const body = one("textarea", form)?.value.trim() || undefined
  if (body !== undefined) headers["content-type"] = "application/json"
  const began = performance.now()
  status.textContent = "…"
  output.textContent = ""
  try {
    const address = query.size === 0 ? path : `${path}?${query}`
    const answer = await fetch(address, { method: article.dataset.method, headers, body, signal, redirect: "manual" })
    const told = headersShown.flatMap((name) =>
      answer.headers.has(name) ? `${name}: ${answer.headers.get(name)}` : []
    )
    status.textContent = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - began)} ms · ${told.join(" · ")}`
    status.className = answer.ok ? "good" : "bad"
    await show(answer, output)
  } catch (error) {
    if (signal.aborted) return
    status.textContent = `no answer: ${error.message}`
    status.className = "bad"
  }
}

const field = (row) => {
  const { name, in: where, required } = row.dataset
  const input = make("input", { name, autocomplete: "off", spellcheck: false })
  input.dataset.in = where
  if (required === "true") input.required = true
  return make("label", {}, `${name} (${where}${required === "true" ? "" : ", optional"})`, input)
}

const formOf = (article) => {
  const form = make("form")
  form.append(...all("tr[data-name]", article).map(field))
  const body = one("[data-body]", article)
  if (body !== null)
    form.append(make("label", {}, "Body", make("textarea", { value: body.textContent, spellcheck: false })))
  const stop = make("button", { type: "button", textContent: "Stop" })
  const status = make("span", { role: "status" })
  status.setAttribute("role", "status")
  form.append(make("div", { className: "bar" }, make("button", { textContent: "Send" }), stop, status))
  form.append(make("pre", { tabIndex: 0 }, make("output")))
  let controller = new AbortController()
  stop.addEventListener("click", () => controller.abort())
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    controller.abort()
    controller = new AbortController()
    void call(article, form, controller.signal)
  })
  return form
}

for (const article of articles) {
  const details = make("details", {}, make("summary", { textContent: "Try it" }))
  details.addEventListener("toggle", () => details.childElementCount === 1 && details.append(formOf(article)), {
    once: true
  })
  article.append(details)
  for (const sample of all("pre[data-language]", article)) {
    const copy = make("button", { type: "button", textContent: "Copy" })
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(one("code", sample).textContent)
      copy.textContent = "Copied"
    })
    sample.append(copy)
  }
}
for (const element of all("[data-live]")) element.hidden = false
one("#credential").value = stored(sessionStorage, "reference-credential") ?? ""
one("#credential").addEventListener("input", ({ target }) =>
  stored(sessionStorage, "reference-credential", target.value)
)
one("#search").addEventListener("input", search)
one("#search").addEventListener("input", searchGuides)
for (const button of all("button[data-choose]")) button.addEventListener("click", () => choose(button.dataset.choose))
choose(stored(localStorage, "reference-language") ?? "curl")
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, textarea")) return
  event.preventDefault()
  one("#search").focus()
})
