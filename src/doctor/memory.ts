/** Whether a hub may take enough memory. Owns the judgement; src/runtime/memory-limit.ts reads. */
import {
  embeddedMemoryBytesEnough,
  embeddedMemoryBytesFew,
  memoryBytesEnough,
  memoryBytesFew
} from "../limits/doctor.ts"
import { error, type Finding, grouped, ok, warning } from "./finding.ts"

const check = "memory"

const mebibytes = (bytes: number): string => `${grouped(Math.floor(bytes / 1_048_576))} MiB`

/** `embedded`: the hub runs its own database. */
export const judgeMemory = (max: number, embedded: boolean): Finding => {
  const [few, enough] = embedded
    ? [embeddedMemoryBytesFew, embeddedMemoryBytesEnough]
    : [memoryBytesFew, memoryBytesEnough]
  const found = `a hub may take ${mebibytes(max)} here`
  if (max >= enough) return ok(check, found)
  const instead = embedded ? ", or set DATABASE_URL: on Postgres a hub needs half of it" : ""
  const remedy = `give it ${mebibytes(enough)} (docker --memory, resources.limits.memory, systemd MemoryMax)${instead}`
  return max < few
    ? error(
        check,
        `${found}: with less than ${mebibytes(few)} the system kills it${embedded ? " at its first start" : ""}`,
        remedy
      )
    : warning(check, found, remedy)
}
