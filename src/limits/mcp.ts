/** Bounds of the MCP endpoint. Unit last, with what happens at the bound. */

/** Steps of long work that a message counts for (edge.ts has how many one turn does): to list the tools takes 5 ms. */
export const mcpMessageSteps = 4
/** Body of one JSON-RPC message; more: 413. */
export const mcpBodyBytesMax = 1_048_576
/** Values in one message, those in others and names of members among them; more: 400. (5,000 take some 20 ms.) */
export const mcpValuesMax = 5_000
/** Of those, what a message has for the price of what it calls; with more it takes a place in the rate limit before. */
export const mcpLightValuesMax = 250
/** JSON of the answer that a tool's result carries; a larger one is left out, and the result says so. */
export const toolAnswerBytesMax = 1_048_576
/** What parsing it costs beyond its bytes (src/domain/limits/cost.ts); a dearer one is left out likewise. */
export const toolAnswerCostMax = 524_288
/** How long a client may keep the state of a question before it calls again; later: -32602. */
export const questionMillisMax = 900_000
/** Looks at the agent after a question is answered, each one call; then the result says that the turn goes on. */
export const looksAfterApprovalMax = 8
/** How long a client may keep the list of tools. */
export const toolListMillis = 300_000
/** How often a client is told to look at a task. */
export const taskPollMillis = 2_000
