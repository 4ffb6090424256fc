/** How each agent is connected, with this hub's own address. Owns the steps; docs/oauth.md has the same and why. */
import { Page, Section } from "../components/page.tsx"
import { Copyable } from "../components/secret-once.tsx"
import { linkTo } from "../routing.ts"

const address = `${location.origin}/mcp`

interface Way {
  readonly title: string
  readonly says: string
  readonly text: string
}

const ways: ReadonlyArray<Way> = [
  {
    title: "Claude (claude.ai, desktop, mobile)",
    says: "Settings → Connectors → Add custom connector; this address, then Connect. It calls from the internet.",
    text: address
  },
  {
    title: "Claude Code",
    says: "In a terminal; then /mcp in Claude Code, the hub, Authenticate.",
    text: `claude mcp add --transport http hub ${address}`
  },
  {
    title: "ChatGPT",
    says: "Settings → Apps → Advanced settings → Developer mode; then Create, with this address and OAuth. It calls from the internet.",
    text: address
  },
  {
    title: "VS Code",
    says: "In .vscode/mcp.json of a workspace; then Start above the entry.",
    text: JSON.stringify({ servers: { hub: { type: "http", url: address } } }, undefined, 2)
  },
  {
    title: "Cursor",
    says: "In ~/.cursor/mcp.json; then Settings → MCP → Connect.",
    text: JSON.stringify({ mcpServers: { hub: { url: address } } }, undefined, 2)
  },
  {
    title: "opencode",
    says: "In a terminal: opencode mcp add (remote, the name hub, this address); then opencode mcp auth hub.",
    text: address
  }
]

/** The view. */
export const ConnectAgent = () => (
  <Page title="Connect an agent" above={<a href={linkTo("apps")}>Connected apps</a>}>
    <p>
      An agent that is connected opens a page of this console, where you say what it may do. Hosted agents reach a hub
      by https, at port 443 and at a name that resolves in the internet; those on your computer only need to reach it.
      Where one says that the hub knows no registration, its operator adds it (hub oauth client add), and it gets the
      id.
    </p>
    {location.protocol !== "https:" && (
      <div class="note warn">
        <span>
          This page was not read over https. A hub lets agents in this way only with an https address in HUB_PUBLIC_URL;
          without it, give the agent an <a href={linkTo("keys")}>API key</a>.
        </span>
      </div>
    )}
    {ways.map(({ title, says, text }) => (
      <Section key={title} title={title} says={says}>
        <Copyable text={text} label={title} />
      </Section>
    ))}
  </Page>
)
