/** The end of a list that comes in pages. */
import type { PagedList } from "../state/paged-list.ts"
import { Empty, Failure, Reading } from "./notices.tsx"

interface ListEndProps {
  readonly pages: PagedList<unknown>
  readonly none: string
}

/** Says that there is nothing, that it is being read, what failed, or gives the next page. */
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
