/**
 * What befalls the world of the soak. Owns how each fault is inflicted and taken away again; judges nothing. A node is
 * started anew only after it was killed, Postgres and Redis as whoever watches over them would.
 */
import { connect, type Socket } from "node:net"
import type { Random } from "../../../../bench/fuzz/random.ts"
import { wait } from "../../../support/hub-process.ts"
import { childrenOf } from "../../../support/process-facts.ts"
import { until } from "../../../support/until.ts"
import { fewDescriptors, fewDescriptorsNode, type SoakWorld } from "./fixture.ts"

/** A fault. */
export interface Fault {
  readonly name: string
  /** Whether it takes the store away: 500 is documented for what needs the store meanwhile. */
  readonly ofStore: boolean
  /** What this machine lacks for it; undefined where it lacks nothing. */
  readonly lacks: (world: SoakWorld) => string | undefined
  /** Inflicts it, holds it for a while, and takes it away. */
  readonly befall: (world: SoakWorld, random: Random) => Promise<void>
}

const nothing = (): undefined => undefined
const anyNode = ({ hub }: SoakWorld, random: Random) => hub.nodes[random.below(hub.nodes.length)]!
/** Shorter and longer than the lease of a node (5 s), in milliseconds. */
const [briefly, long] = [1_000, 8_000]
const hold = (random: Random, most = long): Promise<void> => wait(random.between(briefly, most))

/** Postgres after whatever ended it, once it takes connections. */
const postgresIsBack = async ({ postgres }: SoakWorld): Promise<void> => {
  await until("Postgres is back", async () => {
    if (postgres.pid() === undefined) await postgres.start()
    return postgres.pid() !== undefined
  })
}
const postgresProcesses = ({ postgres }: SoakWorld): ReadonlyArray<number> => {
  const pid = postgres.pid()
  return pid === undefined ? [] : [pid, ...childrenOf(pid)]
}
/** One that has ended meanwhile is none to stop. */
const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
    }
  }
}

const lookMillis = 100
const crowd = fewDescriptors
const perAddress = 100

/** Silent sockets, from so many addresses that none has too many; those that are closed are opened again. */
const crowdOut = async (url: string, millis: number): Promise<void> => {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let opened = 0
  const ends = performance.now() + millis
  while (performance.now() < ends) {
    while (sockets.size < crowd) {
      const localAddress = `127.2.${Math.floor(opened / perAddress) % 250}.1`
      opened++
      const socket = connect({ host: hostname, port: Number(port), localAddress })
      sockets.add(socket)
      socket.on("error", () => {}).on("close", () => sockets.delete(socket))
    }
    await wait(lookMillis)
  }
  for (const socket of sockets) socket.destroy()
}

/** All of them. */
export const faults: ReadonlyArray<Fault> = [
  {
    name: "a node is killed",
    ofStore: false,
    lacks: nothing,
    befall: async (world, random) => {
      const node = anyNode(world, random)
      await node.kill()
      await hold(random)
      // on a busy machine it takes its time: what is waited for afterwards is that it is ready
      await node.start().catch((error: unknown) => {
        if (!node.runs()) throw error
      })
    }
  },
  {
    name: "a node stands still",
    // its waits for Postgres go on: they may be over when it goes on itself
    ofStore: true,
    lacks: nothing,
    befall: async (world, random) => {
      const pid = anyNode(world, random).pid()
      process.kill(pid, "SIGSTOP")
      try {
        await wait(random.between(6_000, long + 1_000))
      } finally {
        process.kill(pid, "SIGCONT")
      }
    }
  },
  {
    name: "the disk of Postgres is full",
    ofStore: true,
    lacks: ({ disk }) => (disk === undefined ? "the right to mount a disk" : undefined),
    befall: async (world, random) => {
      const ends = performance.now() + random.between(2_000, 6_000)
      try {
        while (performance.now() < ends) {
          world.disk!.fill()
          await wait(lookMillis)
        }
      } finally {
        world.disk!.free()
      }
      await postgresIsBack(world)
    }
  },
  {
    name: "Postgres crashes",
    ofStore: true,
    lacks: nothing,
    befall: async (world, random) => {
      await world.postgres.crash()
      await hold(random, 4_000)
      await postgresIsBack(world)
    }
  },
  {
    name: "Postgres hangs",
    ofStore: true,
    lacks: nothing,
    befall: async (world, random) => {
      const pids = postgresProcesses(world)
      signal(pids, "SIGSTOP")
      try {
        await hold(random)
      } finally {
        signal(pids, "SIGCONT")
      }
    }
  },
  {
    name: "answers of Postgres are lost",
    // a write is committed, and its node never hears of it: it fails what the write was for
    ofStore: true,
    lacks: nothing,
    befall: async ({ senders, lostAnswers }, random) => {
      lostAnswers.next = random.between(1, 4)
      await until("they are lost", () => {
        // who comes to that node, and leaves it, has it write
        for (const one of senders) if (lostAnswers.next > 0 && one.at() !== undefined) one.cut()
        return lostAnswers.next === 0
      })
    }
  },
  {
    name: "fsync fails under Postgres",
    ofStore: true,
    lacks: ({ sickly }) => (sickly === undefined ? "fiu-run" : undefined),
    befall: async (world, random) => {
      const { postgres, sickly } = world
      const ends = performance.now() + random.between(4_000, 8_000)
      await postgres.crash()
      // it ends whenever that befalls its recovery, too
      while (performance.now() < ends) {
        if (postgres.pid() === undefined) void postgres.start(sickly).catch(() => {})
        await wait(lookMillis)
      }
      await postgres.crash()
      await postgresIsBack(world)
    }
  },
  {
    name: "Redis is killed",
    ofStore: false,
    lacks: nothing,
    befall: async ({ redis }, random) => {
      await redis.kill()
      await hold(random, 5_000)
      await redis.start()
    }
  },
  {
    name: "Redis hangs",
    ofStore: false,
    lacks: nothing,
    befall: async ({ redis }, random) => {
      redis.pause()
      await hold(random, 5_000)
      redis.resume()
    }
  },
  {
    name: "Redis loses all it holds",
    ofStore: false,
    lacks: nothing,
    befall: async ({ redis }) => void (await redis.call("FLUSHALL"))
  },
  {
    name: "a node has no descriptor left",
    ofStore: false,
    lacks: nothing,
    befall: ({ hub }, random) => crowdOut(hub.nodes[fewDescriptorsNode]!.url, random.between(2_000, 5_000))
  },
  {
    name: "a clock jumps and jumps back",
    ofStore: false,
    lacks: nothing,
    befall: async (world, random) => {
      const node = random.below(world.hub.nodes.length)
      world.setClock(node, random.of([-1, 1]) * random.between(5_000, 25_000))
      await hold(random, 5_000)
      world.setClock(node, 0)
    }
  }
]
