/** The official client, as it is, and its person in a real browser: who asks, what is given, where the answer goes. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../../bench/servers/free-port.ts"
import { keeper, startProgram } from "../../../support/official-app.ts"
import { testFolder } from "../../../support/temporary-folder.ts"
import { startTlsProxy, testCertificate } from "../../../support/tls-server.ts"
import { until } from "../../../support/until.ts"
import { type ConsoleWorld, onPage, signIn, startConsoleWorld } from "../../console-hub.ts"

/** Where a program on the person's computer waits for its answer. */
const startCallback = async () => {
  const came: Array<URLSearchParams> = []
  const server: Server = createServer((incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://localhost")
    if (pathname === "/callback") came.push(searchParams)
    outgoing.end("You can close this page.")
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return { came, url: `http://localhost:${(server.address() as AddressInfo).port}/callback`, server }
}

describe("a person whose agent asks to be let in", () => {
  let world: ConsoleWorld
  let proxy: Awaited<ReturnType<typeof startTlsProxy>>
  let program: Awaited<ReturnType<typeof startProgram>>
  let callback: Awaited<ReturnType<typeof startCallback>>
  beforeAll(async () => {
    const port = await freePort()
    const documents = { allowCidrs: ["127.0.0.0/8", "::1/128"], ca: testCertificate }
    world = await startConsoleWorld(testFolder("authorize"), { publicUrl: `https://localhost:${port}` }, { documents })
    proxy = await startTlsProxy(port, () => [world.hub.url])
    program = await startProgram()
    callback = await startCallback()
  })
  afterAll(async () => {
    await world?.close()
    proxy?.close()
    await program?.close()
    callback?.server.closeAllConnections()
    callback?.server.close()
  })

  /** A client that has sent its person to the page, which is open, signed in. */
  const asking = async () => {
    const { provider, asked } = keeper(program.clientId, callback.url)
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${proxy.origin}/mcp`), {
        authProvider: provider,
        fetch: program.fetch
      })
    const first = transport()
    const client = () => new Client({ name: "test", version: "1.0.0" })
    await expect(client().connect(first)).rejects.toThrow()
    const { page } = await world.open("", { ignoreHTTPSErrors: true })
    await page.goto(asked.at(-1)!.href)
    await signIn(page, world.owner.email)
    await page.getByRole("heading", { name: "Connect an app", level: 1 }).waitFor()
    return { page, first, client, transport }
  }
  const answered = async (count: number) => {
    await until("the program has its answer", () => callback.came.length === count)
    return callback.came.at(-1)!
  }

  it("sees who asks and where the answer goes, gives by key alone what only reads, and disconnects it", async () => {
    const { page, first, client, transport } = await asking()
    const { shown } = onPage(page)
    await shown("A program")
    await shown(/as described at localhost:\d+/u)
    await shown("That is a program on this computer.")
    await shown("run terminal commands on your machines")
    const ticked = () => page.getByRole("checkbox", { checked: true }).count()
    expect(await ticked()).toBe(3)
    await page.getByRole("checkbox", { name: /terminal:exec/u }).focus()
    await page.keyboard.press("Space")
    expect(await ticked()).toBe(4)
    await page.keyboard.press("Space")
    await page.getByRole("button", { name: "Allow" }).focus()
    await page.keyboard.press("Enter")
    await first.finishAuth(await answered(1))
    const connected = client()
    await connected.connect(transport())
    const tools = (await connected.listTools()).tools.map(({ name }) => name)
    expect([tools.includes("read_chat"), tools.includes("run_terminal_command")]).toEqual([true, false])
    await connected.close()
    const { page: list } = await world.openSignedIn("#/apps")
    const { click, row } = onPage(list)
    await row("Connected apps", "A program").waitFor()
    await click("Disconnect")
    await list.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click()
    await list.getByText("No app is connected.").waitFor()
    await expect(client().connect(transport())).rejects.toThrow()
  })

  it("refuses it, and it learns so", async () => {
    const { page } = await asking()
    await onPage(page).click("Refuse")
    const answer = await answered(2)
    expect([answer.get("error"), answer.get("state"), answer.get("iss")]).toEqual([
      "access_denied",
      "of the program",
      proxy.origin
    ])
  })

  it("is sent nowhere by a request that cannot be granted, unless they want", async () => {
    const { provider, asked } = keeper(program.clientId, callback.url)
    const transport = new StreamableHTTPClientTransport(new URL(`${proxy.origin}/mcp`), {
      authProvider: provider,
      fetch: program.fetch
    })
    await expect(new Client({ name: "test", version: "1.0.0" }).connect(transport)).rejects.toThrow()
    const plain = new URL(asked[0]!.href)
    plain.searchParams.set("code_challenge_method", "plain")
    const { page } = await world.open("", { ignoreHTTPSErrors: true })
    await page.goto(plain.href)
    await signIn(page, world.owner.email)
    await onPage(page).shown("The program's request is refused. Its code_challenge_method is not S256.")
    expect(callback.came).toHaveLength(2)
    await onPage(page).click(/^Tell the app/u)
    expect((await answered(3)).get("error")).toBe("invalid_request")
  })
})
