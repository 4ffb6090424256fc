/** A list that comes in pages, read page by page on demand. Owns the cursor. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { failureWords } from "./failure-words.ts"
import { joined, type ListPage } from "./joined-pages.ts"
import { useAfterOutage } from "./live-events.ts"

/** A list as it has been read so far. */
export interface PagedList<Row> {
  readonly rows: ReadonlyArray<Row> | undefined
  readonly failure: string | undefined
  /** Reads one page more; undefined where there is none. */
  readonly more: (() => void) | undefined
  /** Reads from the beginning; what is shown stays until then. */
  readonly reload: () => void
}

/** Reads the first page when the view appears and when `key` changes. */
export const usePagedList = <Row>(
  read: (from: { readonly cursor?: string }, signal: AbortSignal) => Promise<ListPage<Row>>,
  key: string
): PagedList<Row> => {
  const [list, setList] = useState<ListPage<Row> | undefined>(undefined)
  const [failure, setFailure] = useState<string | undefined>(undefined)
  const latest = useRef(read)
  latest.current = read
  const current = useRef(new AbortController())
  const load = useCallback((cursor: string | undefined) => {
    current.current.abort()
    const controller = new AbortController()
    current.current = controller
    latest.current(cursor === undefined ? {} : { cursor }, controller.signal).then(
      (page) => {
        if (controller.signal.aborted) return
        setFailure(undefined)
        setList((before) => joined(cursor === undefined ? undefined : before, page))
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setFailure(failureWords(error))
      }
    )
  }, [])
  // another key is another list
  useEffect(() => {
    setList(undefined)
    load(undefined)
    return () => current.current.abort()
  }, [key, load])
  const next = list?.next
  const reload = useCallback(() => load(undefined), [load])
  // pages that were read stay
  useAfterOutage(() => failure !== undefined && reload())
  return { rows: list?.rows, failure, more: next === undefined ? undefined : () => load(next), reload }
}
