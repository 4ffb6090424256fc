/**
 * Markdown that an agent wrote, as elements. Owns what is made of it: nothing is loaded, no markup of its own is taken
 * over, and a link leads to http, https or a mail address only.
 */
import { Lexer, type Token, type Tokens } from "marked"
import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import { markdownCharsMax, markdownDepthMax, markdownParagraphMax } from "../limits.ts"

const leads = (href: string): boolean => /^(?:https?:\/\/|mailto:)/iu.test(href)

const Link = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) =>
  leads(href) ? (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  ) : (
    children
  )

const Table = ({ token, depth }: { readonly token: Tokens.Table; readonly depth: number }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key
  <section class="text" aria-label="Table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {token.header.map((cell, at) => (
            <th key={at}>{all(cell.tokens, depth)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column}>{all(cell.tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const listOf = ({ ordered, start, items }: Tokens.List, depth: number): ComponentChildren => {
  const made = items.map((item, at) => (
    <li key={at}>
      {item.task && (item.checked ? "☑ " : "☐ ")}
      {all(item.tokens, depth)}
    </li>
  ))
  return ordered ? <ol start={start === "" ? 1 : start}>{made}</ol> : <ul>{made}</ul>
}

/** One token; what has no element of its own is the text that it was written as. */
const one = (token: Token, depth: number): ComponentChildren => {
  const inner = "tokens" in token && token.tokens !== undefined ? token.tokens : undefined
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading":
      return <p class="heading">{all(inner, depth)}</p>
    case "paragraph":
      return <p>{all(inner, depth)}</p>
    case "blockquote":
      return <blockquote>{all(inner, depth)}</blockquote>
    case "strong":
      return <strong>{all(inner, depth)}</strong>
    case "em":
      return <em>{all(inner, depth)}</em>
    case "del":
      return <del>{all(inner, depth)}</del>
    case "br":
      return <br />
    case "hr":
      return <hr />
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>
    case "code":
      return <pre>{(token as Tokens.Code).text}</pre>
    case "list":
      return listOf(token as Tokens.List, depth)
    case "table":
      return <Table token={token as Tokens.Table} depth={depth} />
    case "link":
      return <Link href={(token as Tokens.Link).href}>{all(inner, depth)}</Link>
    case "image":
      return <Link href={(token as Tokens.Image).href}>{`[image: ${(token as Tokens.Image).text}]`}</Link>
    case "escape":
      return (token as Tokens.Escape).text
    case "text":
      return inner === undefined ? token.raw : all(inner, depth)
    default:
      return token.raw
  }
}

const all = (tokens: ReadonlyArray<Token> | undefined, depth: number): ComponentChildren =>
  depth >= markdownDepthMax
    ? (tokens ?? []).map(({ raw }) => raw).join("")
    : (tokens ?? []).map((token) => one(token, depth + 1))

/** Leaves the marks within a long paragraph unread. */
class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Array<Token> = []): Array<Token> {
    if (source.length <= markdownParagraphMax) return super.inlineTokens(source, tokens)
    tokens.push({ type: "text", raw: source, text: source })
    return tokens
  }
}

/** Undefined where it is too long or too deep to be read as anything but text. */
const tokensOf = (text: string): ReadonlyArray<Token> | undefined => {
  if (text.length > markdownCharsMax) return undefined
  try {
    return new BoundedLexer().lex(text)
  } catch {
    // nested beyond the stack: it is shown as it is
    return undefined
  }
}

/** The text with its marks drawn, or as it is. */
export const Markdown = ({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => tokensOf(text), [text])
  return tokens === undefined ? <p class="said">{text}</p> : <div class="markdown">{all(tokens, 0)}</div>
}
