/** What a page keeps, as the browser counts it once the garbage is collected. Judges nothing. */
import type { Page } from "playwright-core"

const kinds = ["Object", "Array", "Map", "Set", "Promise", "AbortSignal", "Text"]

/** How many a page has of each kind of object, of nodes and of listeners. */
export type PageObjects = Readonly<Record<string, number>>

/** A counter of one page; `heap`: the bytes of what its script keeps. */
export const pageObjects = async (page: Page) => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send("Runtime.enable")
  await cdp.send("HeapProfiler.enable")
  const objectGroup = "counted"
  const lengthOf = async (kind: string): Promise<number> => {
    const { result } = await cdp.send("Runtime.evaluate", { expression: `${kind}.prototype`, objectGroup })
    const { objects } = await cdp.send("Runtime.queryObjects", { prototypeObjectId: result.objectId!, objectGroup })
    const functionDeclaration = "function () { return this.length }"
    const length = await cdp.send("Runtime.callFunctionOn", { objectId: objects.objectId!, functionDeclaration })
    await cdp.send("Runtime.releaseObjectGroup", { objectGroup })
    return Number(length.result.value)
  }
  return {
    count: async (): Promise<PageObjects> => {
      await cdp.send("HeapProfiler.collectGarbage")
      const { nodes, jsEventListeners } = await cdp.send("Memory.getDOMCounters")
      const counts: Record<string, number> = { nodes, listeners: jsEventListeners }
      for (const kind of kinds) counts[kind] = await lengthOf(kind)
      return counts
    },
    heap: async (): Promise<number> => {
      await cdp.send("HeapProfiler.collectGarbage")
      return (await cdp.send("Runtime.getHeapUsage")).usedSize
    }
  }
}
