/**
 * Places for work that is under way: so many in all, and so many for one address, so that nobody who holds on to his
 * can keep everyone else out. Owns the counting; an address without a place is not remembered.
 */

/** Places. `take` gives what gives the place back, to be called once; undefined when there is none. */
export interface Places {
  readonly take: (address: string) => (() => void) | undefined
}

/** Makes `all` places, of which one address may hold `each`. */
export const makePlaces = (all: number, each: number): Places => {
  let taken = 0
  const takenBy = new Map<string, number>()
  return {
    take: (address) => {
      const own = takenBy.get(address) ?? 0
      if (taken >= all || own >= each) return undefined
      taken += 1
      takenBy.set(address, own + 1)
      return () => {
        taken -= 1
        const left = takenBy.get(address)! - 1
        if (left === 0) takenBy.delete(address)
        else takenBy.set(address, left)
      }
    }
  }
}
