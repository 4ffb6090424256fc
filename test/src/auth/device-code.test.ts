/** The codes of a device and of its person: their shapes, and what a person may type. */
import { expect, it } from "vitest"
import { isDeviceCode, makeDeviceCode, makeUserCode, readUserCode } from "../../../src/auth/device-code.ts"

it("the code of a person has eight consonants, no two alike among many", () => {
  const made = new Set(Array.from({ length: 1_000 }, makeUserCode))
  expect(made.size).toBe(1_000)
  for (const code of made) expect(code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/u)
})

it("the code of a person is read in whatever case, with or without dash and blanks", () => {
  for (const typed of ["WDJB-MJHT", "wdjbmjht", " wdjb mjht ", "WdJb–MjHt"])
    expect(readUserCode(typed)).toBe("WDJB-MJHT")
  for (const typed of ["", "WDJB", "WDJB-MJHTX", "ADJB-MJHT", "WDJB-MJH1", "WDJB_MJHT"])
    expect(readUserCode(typed), typed).toBeUndefined()
})

it("the code of a device is told from what is none before any look-up", () => {
  const code = makeDeviceCode()
  expect(isDeviceCode(code)).toBe(true)
  for (const other of ["", "hubdc_", code.slice(0, -1), `${code}x`, code.replace("hubdc_", "hub_")])
    expect(isDeviceCode(other), other).toBe(false)
})
