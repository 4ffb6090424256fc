/** Short notes: a failure, an empty list, its end, something that is being read. Owns how they are announced. */
import type { ComponentChildren } from "preact"
import type { PagedList } from "../state/paged-list.ts"

/** A failure; nothing where there is none. */
export const Failure = ({ text, again }: { readonly text: string | undefined; readonly again?: () => void }) =>
  text === undefined ? null : (
    <div class="note bad" role="alert">
      <span>{text}</span>
      {again !== undefined && (
        <button type="button" class="quiet" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )

/** Something that went well. */
export const Done = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="note good" role="status">
    {children}
  </div>
)

/** What the hub took, and what of it has no effect. */
export const Warnings = ({ texts = [] }: { readonly texts?: ReadonlyArray<string> | undefined }) =>
  texts.length === 0 ? null : (
    <div class="note warn" role="status">
      {texts.map((text) => (
        <p key={text} class="break">
          {text}
        </p>
      ))}
    </div>
  )

/** That there is nothing, and what to do. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>

/** That something is being read. */
export const Reading = () => (
  <p class="empty" role="status">
    Reading…
  </p>
)

interface ListEndProps {
  readonly pages: PagedList<unknown>
  readonly none: string
}

/** The end of a list in pages: that there is nothing, that it is being read, what failed, or the next page. */
export const ListEnd = ({ pages: { rows, failure, more, reload }, none }: ListEndProps) => (
  <>
    <Failure text={failure} again={reload} />
    {rows === undefined && failure === undefined && <Reading />}
    {rows?.length === 0 && <Empty>{none}</Empty>}
    {more !== undefined && (
      <button type="button" class="quiet" onClick={more}>
        Show more
      </button>
    )}
  </>
)
