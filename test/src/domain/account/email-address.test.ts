/** E-mail addresses as names of accounts: which may be one, and which are the same. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { emailKey, readEmailAddress } from "../../../../src/domain/account/email-address.ts"
import { emailCharsMax, emailDomainCharsMax, emailLocalCharsMax } from "../../../../src/limits.ts"
import { anyText, fc, forAll } from "../../../support/properties.ts"

const refusal = (given: string): string =>
  Result.match(readEmailAddress(given), { onSuccess: ({ text }) => `accepted: ${text}`, onFailure: (why) => why })
const text = (given: string): string | undefined => Result.getOrUndefined(readEmailAddress(given))?.text

describe("an e-mail address", () => {
  it("is kept in lower case and in Unicode's compatibility form", () => {
    expect(text("Ada.Lovelace+Hub@Example.COM")).toBe("ada.lovelace+hub@example.com")
    expect(text("ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ")).toBe("ada@example.com")
    expect(text("Jürgen@Bücher.de")).toBe("jürgen@bücher.de")
    expect(text("owner@localhost")).toBe("owner@localhost")
    expect(text("用户@例子.广告")).toBe("用户@例子.广告")
  })

  it("is the same as another in case, width, composition or the name of its domain in DNS", () => {
    const same = [
      ["victim@x.test", "VICTIM@X.Test", "ｖｉｃｔｉｍ@x.test", "𝓿ictim@x.test", "victim＠x.test"],
      ["jürgen@x.test", "ju\u0308rgen@x.test", "JÜRGEN@x.test"],
      ["strauss@x.test", "straUẞ@x.test", "strauß@x.test"],
      ["kim@x.test", "\u212Aim@x.test", "KİM@x.test".replace("İ", "I")],
      ["a@bücher.de", "a@xn--bcher-kva.de", "A@BÜCHER.DE"]
    ]
    for (const spellings of same) expect(new Set(spellings.map(emailKey)).size, spellings[0]).toBe(1)
    expect(new Set(same.map(([one]) => emailKey(one!))).size).toBe(same.length)
  })

  it("holds no blank, no control or invisible character and nothing that is drawn as none", () => {
    for (const bad of [
      " ",
      "\n",
      "\u001b",
      "\u0000",
      "\u00a0",
      "\u200b",
      "\u202e",
      "\u00ad",
      "\u3164",
      "\u2800",
      "\ufeff"
    ]) {
      for (const at of [`${bad}a@x.test`, `a${bad}b@x.test`, `a@x.test${bad}`, `a@${bad}x.test`])
        expect(refusal(at)).toBe("holds a blank, a control character or an invisible one")
    }
    expect(refusal("a\ufe7cb@x.test")).toBe("holds a letter that stands for a blank")
  })

  it("has a name, one @ and a domain, each of the characters that stand there", () => {
    for (const bad of ["", "a", "@", "a@", "@x.test", "a@b@c", "a＠b@c"])
      expect(refusal(bad), bad).toBe("must be a name, one @ and a domain")
    for (const bad of ["<script>@x", "a,b@x.test", '"a"@x.test', "a(b)@x.test", "a\\b@x.test", "a:b@x.test"])
      expect(refusal(bad), bad).toBe("holds a character before the @ that no address has there")
    for (const bad of [
      "a@x..test",
      "a@x.",
      "a@.x",
      "a@-x.test",
      "a@x_y.test",
      "a@[::1]",
      "a@127.0.0.1",
      "a@1",
      "a@ex%61mple.com",
      "a@x/y",
      "a@xn--zzzzzz"
    ]) {
      expect(refusal(bad), bad).toBe("has no domain name behind the @")
    }
  })

  it("does not mix Latin letters with those of another alphabet that look like them", () => {
    for (const bad of ["\u0430dmin@x.test", "admin@ex\u0430mple.com", "\u03bfwner@x.test"])
      expect(refusal(bad)).toBe("mixes Latin letters with those of another alphabet that look like them")
    expect(text("иван@пример.com")).toBe("иван@пример.com")
  })

  it("has an end", () => {
    const local = "a".repeat(emailLocalCharsMax)
    const domain = `${`${"b".repeat(62)}.`.repeat(4)}b`
    expect(domain.length).toBe(emailDomainCharsMax)
    expect(text(`${local}@${domain}`)).toBeDefined()
    expect(refusal(`${local}a@x.test`)).toBe(`has more than ${emailLocalCharsMax} characters before the @`)
    expect(refusal(`a@${domain}b`)).toBe("has no domain name behind the @")
    expect(refusal(`${"a".repeat(emailCharsMax)}@x`)).toBe(`has more than ${emailCharsMax} characters`)
  })

  const address = fc
    .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), fc.constantFrom("x.test", "BÜCHER.de", "a.b"))
    .map(([local, domain]) => `${local}@${domain}`)

  it("is read the same again once it was kept, and has one key in whatever case and composition it comes", () =>
    forAll(2_000, address, (given) => {
      const read = Result.getOrUndefined(readEmailAddress(given))
      fc.pre(read !== undefined)
      expect(Result.getOrUndefined(readEmailAddress(read!.text))).toEqual(read)
      const [local = "", domain = ""] = given.split("@")
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) {
        const spelled = `${local.normalize(form)}@${domain.normalize(form)}`
        if (text(spelled) !== undefined) expect(emailKey(spelled)).toBe(read!.key)
      }
      if (text(given.toUpperCase()) !== undefined) expect(emailKey(given.toUpperCase())).toBe(read!.key)
    }))

  it("that is accepted holds nothing a terminal, a log or a page could take for more than a letter", () =>
    forAll(5_000, anyText({ maxLength: 20 }), (local) => {
      const read = text(`${local}@x.test`)
      if (read !== undefined) expect(read).toMatch(/^[^\p{C}\p{Z}<>"\\()[\],;:]+$/u)
    }))
})
