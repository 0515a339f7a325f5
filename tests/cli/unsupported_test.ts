import { assertEquals, assertStringIncludes } from "@std/assert";
import { defaultSettings } from "../../src/cli/flags/layers.ts";
import { SETTING_FLAGS } from "../../src/cli/flags/table.ts";
import { UNSUPPORTED, unsupportedProblems } from "../../src/cli/unsupported.ts";
import type { SettingName, Settings } from "../../src/check/settings.ts";
import { settingsOf } from "../check/settings_of.ts";
import { call } from "./fake_io.ts";

/** Another value of the same type. */
function other(setting: SettingName): Settings[SettingName] {
  const value = defaultSettings()[setting];
  return typeof value === "number" ? value + 1 : typeof value === "boolean" ? !value : "other";
}

Deno.test("flags not supported by this version, by name", () => {
  const names = SETTING_FLAGS.filter(({ setting }) => UNSUPPORTED.includes(setting))
    .map(({ name }) => name);
  assertEquals(names.length, UNSUPPORTED.length);
  console.log(names.length === 0 ? "every flag is supported" : `not yet: ${names.join(", ")}`);
});

Deno.test("such a flag is taken at its default and refused with any other value", () => {
  for (const setting of SETTING_FLAGS.map((flag) => flag.setting)) {
    const same = settingsOf({ [setting]: defaultSettings()[setting] });
    assertEquals(unsupportedProblems(same, [setting]), []);
    const [problem, ...more] = unsupportedProblems(
      settingsOf({ [setting]: other(setting) }),
      [setting],
    );
    assertEquals([problem?.kind, problem?.rule, more.length], [
      "usage",
      "is not supported by this version",
      0,
    ]);
  }
});

Deno.test("serve, validate and envoy refuse it with 2", async () => {
  const flag = SETTING_FLAGS.find(({ setting }) => UNSUPPORTED.includes(setting));
  if (flag === undefined) return;
  const text = { duration: "7s", port: "7", path: "x", ip: "10.0.0.7" }[flag.form.kind as string];
  for (const command of ["serve", "validate", "envoy"]) {
    const args = [command, "--ateapi-auth=insecure", `--${flag.name}=${text ?? "x:7"}`];
    const { code, stdout, stderr } = await call(args);
    assertEquals(code, 2, args.join(" "));
    assertStringIncludes(stdout + stderr, "is not supported by this version");
  }
});
