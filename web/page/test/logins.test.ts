import { describe, expect, it } from "vitest";
import { LOGIN_FAILURES, accountName, failureIn, loginAt } from "~/api/logins";

describe("a login", () => {
  it("is told why it has failed by words that the page knows, and by no others", () => {
    for (const failure of LOGIN_FAILURES) expect(failureIn(`?login=${failure}`)).toBe(failure);
    for (const search of ["", "?login=new", "?login=<script>", "?login="]) expect(failureIn(search)).toBeUndefined();
  });

  it("comes back to where it began", () => {
    expect(loginAt("/enter?a=1&b=2")).toBe("/session/login?to=%2Fenter%3Fa%3D1%26b%3D2");
  });

  it("suggests a name that an account can have", () => {
    expect(accountName("Ann A.")).toBe("ann-a");
    expect(accountName("Élodie@example.org")).toBe("elodie");
    expect(accountName("7 of 9")).toBe("of-9");
    expect(accountName("札場")).toBe("");
    expect(accountName("x".repeat(80))).toHaveLength(40);
    expect(accountName("a".repeat(39) + " b")).toBe("a".repeat(39));
  });
});
