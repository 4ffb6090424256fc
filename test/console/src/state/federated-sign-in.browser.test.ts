/** Signing in to the console at an OpenID Connect provider, in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../../bench/servers/free-port.ts"
import { startProvider, type TestProvider } from "../../../support/openid-provider.ts"
import { testFolder } from "../../../support/temporary-folder.ts"
import { type ConsoleWorld, startConsoleWorld } from "../../console-hub.ts"

describe("an owner with a provider", () => {
  let provider: TestProvider
  let world: ConsoleWorld
  beforeAll(async () => {
    const port = await freePort()
    const publicUrl = `http://127.0.0.1:${port}`
    provider = await startProvider(`${publicUrl}/api/v1/auth/callback`)
    const { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret } = provider
    const dashboardUrl = `${publicUrl}/console`
    world = await startConsoleWorld(testFolder("provider"), {
      port,
      publicUrl,
      dashboardUrl,
      oidcIssuer,
      oidcClientId,
      oidcClientSecret
    })
  })
  afterAll(async () => {
    await world?.close()
    await provider?.close()
  })

  it("signs in there, comes back signed in, and leaves no code in the address", async () => {
    const { page } = await world.open()
    await page.getByRole("button", { name: "Sign in at your provider" }).click()
    await page.locator("input[name=login]").fill("ann")
    await page.locator("input[name=password]").fill("x")
    await page.locator("[type=submit]").click()
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByText("ann@example.org").waitFor()
    await page.getByText("No machine is enrolled yet.").waitFor()
    expect(page.url()).toBe(`${world.hub.url}/console`)
    expect(await page.evaluate(`sessionStorage.getItem("hub.console.verifier")`)).toBe(null)
  })

  it("is signed in by no code that another browser began with", async () => {
    const { page } = await world.open("#code=a-code-of-someone-else")
    await page.getByText("The sign-in at the provider failed. Please try again.").waitFor()
    expect(page.url()).toBe(`${world.hub.url}/console`)
  })
})
