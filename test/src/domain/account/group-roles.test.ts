/** Roles of the groups that a sign-in provider names. */
import { expect, it } from "vitest"
import { readGroupRole, roleOfGroups } from "../../../../src/domain/account/group-roles.ts"

it("the role of a person's groups is the highest of those that are listed, or that are called as roles are where none is", () => {
  const table = [
    { group: "a=b", role: "admin" },
    { group: "staff", role: "viewer" },
    { group: "ops", role: "operator" }
  ] as const
  expect(
    ["staff", ["staff", "ops"], ["a=b", 7], "owner", [], undefined, { staff: 1 }].map((claim) =>
      roleOfGroups(claim, table)
    )
  ).toEqual(["viewer", "operator", "admin", undefined, undefined, undefined, undefined])
  expect([["viewer", "admin"], "staff"].map((claim) => roleOfGroups(claim, []))).toEqual(["admin", undefined])
})

it("the role of a person's groups is read from group=role, of which the last equals sign counts", () => {
  expect(readGroupRole("cn=hub = admin")).toEqual({ group: "cn=hub", role: "admin" })
  for (const text of ["admin", "=admin", "staff=king", "staff="]) expect(readGroupRole(text), text).toBeUndefined()
})
