/**
 * The requirements of levels 1 and 2 of OWASP ASVS 5.0.0, by their numbers, as the release lists them. Owns nothing of
 * the standard's text.
 */

/** By chapter how many requirements each of its sections has: of level 1, which come first, and of both levels. */
const chapters = [
  "0/2 5/9 2/11 0/3 1/2",
  "1/3 2/3 1/4 0/1",
  "0/0 2/2 1/4 2/6 3/5 0/0 0/2",
  "1/3 0/1 0/2 1/4",
  "0/1 2/3 2/2 0/3",
  "1/3 8/12 2/4 2/4 0/5 0/3 0/0 0/4",
  "0/3 4/4 0/2 2/5 0/2 0/2",
  "1/2 2/3 1/1 0/1",
  "3/3 1/4",
  "0/2 0/2 0/4 5/11 0/5 0/2 0/3",
  "0/2 0/3 2/3 1/4 0/1 0/1",
  "1/3 2/2 0/4",
  "0/1 0/5 0/2 1/5",
  "0/2 1/4 1/3",
  "1/3 1/3 1/7",
  "0/1 0/5 0/4 0/3 0/3",
  "0/1 0/4 0/2"
]

/** Each requirement with its level. */
export const asvsRequirements: ReadonlyMap<string, 1 | 2> = new Map(
  chapters.flatMap((sections, chapter) =>
    sections.split(" ").flatMap((section, nth) => {
      const [ofLevel1, all] = section.split("/").map(Number) as [number, number]
      return Array.from(
        { length: all },
        (_, at) => [`V${chapter + 1}.${nth + 1}.${at + 1}`, at < ofLevel1 ? 1 : 2] as const
      )
    })
  )
)
