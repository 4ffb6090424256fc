/** What counts of a listing of callgrind: every function once, but for those of V8's compilers and collector. */
import { expect, it } from "vitest"
import { instructionsOf } from "../../../bench/load/instruction-counts.ts"

it("the instructions of a program are those of its functions, without what V8 does at a time of its own", () => {
  const listing = `
--------------------------------------------------------------------------------
Ir
--------------------------------------------------------------------------------
12,345,678 (100.0%)  PROGRAM TOTALS

--------------------------------------------------------------------------------
Ir                     file:function
--------------------------------------------------------------------------------
2,000,100 (40.00%)  ???:0x000000001025cd40 [???]
1,000,020 ( 6.43%)  ???:Builtins_LoadIC [/usr/bin/node]
9,000,000 ( 4.15%)  ???:v8::internal::ConcurrentMarking::RunMajor(v8::JobDelegate*) [/usr/bin/node]
  800,000 ( 1.54%)  ???:v8::internal::compiler::GraphReducer::Reduce(v8::internal::compiler::Node*) [/usr/bin/node]
        3 ( 0.00%)  ./malloc/malloc.c:_int_free'2 [/usr/lib/libc.so.6]
`
  expect(instructionsOf(listing)).toBe(3_000_123)
})
