/** Every bound of the console: what a page holds is bounded however long it stays open. */

/** Daemons in the list; beyond it the newest are left out, and the page says so. */
export const daemonsShownMax = 5_000
/** Daemons that are chosen at once: as many as a job may name. */
export const daemonsChosenMax = 10_000
/** The height of a row in a list of thousands (as in styles/lists.css), and the rows drawn beyond those in sight. */
export const rowPixels = 56
export const rowsBeyondSight = 20
/** Daemons that one page of the list asks for. */
export const daemonsPage = 100
/** Rows of any other list that comes in pages. */
export const rowsShownMax = 1_000
/** Entries of a session, and the characters of all of them; the oldest go. */
export const logEntriesMax = 5_000
export const logCharsMax = 20_000_000
/** Characters of one entry; its beginning goes. */
export const entryCharsMax = 100_000
/**
 * Characters of a message that are read as Markdown, and of one paragraph: longer ones are shown as text. The time
 * grows with the square of a paragraph's length: 30 ms for 2,000 of the worst (`**a*b ` again and again).
 */
export const markdownCharsMax = 20_000
export const markdownParagraphMax = 2_000
/** How deep its parts may lie in each other; what lies deeper is shown as text. */
export const markdownDepthMax = 16
/** Parts of a tool call, and the characters of each text of one; its end goes. */
export const toolBlocksMax = 8
export const toolCharsMax = 20_000
/** Characters of a command's output; its beginning goes. */
export const outputCharsMax = 400_000
/** How often what arrives is drawn. */
export const drawMillis = 50
/** Events that came in quick succession cost one reading of the state. */
export const gatherMillis = 1_500
/** How long after the first word of it the inbox is read, and how often while something waits. */
export const inboxFirstMillis = 100
export const inboxAgainMillis = 6_000
/** How long answers take no click once others stand in their place. */
export const answersSettleMillis = 500
/** The hub counts volumes when it is asked for them: so often it is asked again, and so long after. */
export const countingReadsMax = 5
export const countingMillis = 2_000
/** Commands of a terminal that stay in sight, and that the arrows bring back; machines that one runs on at once. */
export const runsShownMax = 20
export const terminalsMax = 20
/** Machines that are offered to go to, and how long the typing rests before they are asked for. */
export const paletteMachinesMax = 8
export const paletteWaitMillis = 150
/** How often a page that shows times is drawn again. */
export const clockMillis = 30_000
/** How long a machine may take to be enrolled. */
export const joinKeyMillis = 3_600_000
/** How long a sign-out waits for what goes before the end of the session. */
export const signOutMillis = 3_000
/** Characters of the shortest password that the hub takes. */
export const passwordCharsMin = 8
