/** The end of a list that comes in pages. */
import type { Pages } from "../state/pages.ts"
import { Empty, Failure, Reading } from "./notes.tsx"

interface MoreProps {
  readonly pages: Pages<unknown>
  readonly none: string
}

/** Says that there is nothing, that it is being read, what failed, or gives the next page. */
export const More = ({ pages: { rows, failure, more, reload }, none }: MoreProps) => (
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
