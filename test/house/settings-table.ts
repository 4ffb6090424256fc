/** The README's table of settings as the code has it. Owns the columns; the words are those of src/config/table.ts. */
import { settings } from "../../src/config.ts"

/** One Markdown row a setting. */
export const settingsTable = (): string =>
  [
    "| setting | kind | default | why |",
    "|---|---|---|---|",
    ...Object.values(settings).map((row) => {
      const standard = row.standard === undefined || row.standard === "" ? "none" : `\`${row.standard}\``
      return `| \`${row.env}\` | ${row.kind.name} | ${standard} | ${row.reason} |`
    })
  ].join("\n")
