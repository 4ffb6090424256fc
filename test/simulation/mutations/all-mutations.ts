/** Every fault that is planted. Owns their order, by which run.ts is told which one to plant. */
import { commandMutations } from "./command-mutations.ts"
import { deliveryMutations } from "./delivery-mutations.ts"
import type { Mutation } from "./mutation.ts"
import { presenceMutations } from "./presence-mutations.ts"

/** All. */
export const mutations: ReadonlyArray<Mutation> = [...presenceMutations, ...commandMutations, ...deliveryMutations]
