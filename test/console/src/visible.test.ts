/** What an agent asks, as the console shows it. */
import { expect, it } from "vitest"
import { visible } from "../../../console/src/visible.ts"

it("shows the code of each character that is unseen or changes the order of others", () => {
  expect(visible("run \u202etxt.sh\u2066 \u200b\u001b[2K\u2028")).toBe(
    "run \\u{202e}txt.sh\\u{2066} \\u{200b}\\u{1b}[2K\\u{2028}"
  )
})

it("leaves everything else as it is", () => {
  const text = "Run `npm test`?\n\t— ja, עברית, 日本語, 🎉"
  expect(visible(text)).toBe(text)
})
