// Fuzz target: the control plane's answer to ResumeActor, against protobuf-es; and the health service's
// request beside it. See _loop.ts. deno test -A tests/fuzz/ateapi_fuzz_test.ts
import { fromBinary } from "@bufbuild/protobuf";
import { assert, assertEquals } from "@std/assert";
import {
  type ResumeActorResponse,
  ResumeActorResponseSchema,
} from "../../src/gen/ateapi/ateapi_pb.ts";
import { decodeResumeResponse, type WireResume } from "../../src/wire/ateapi.ts";
import { WireError } from "../../src/wire/error.ts";
import { decodeHealthRequest } from "../../src/wire/health.ts";
import { concat, field, number } from "../wire/support/bytes.ts";
import type { Random } from "../wire/support/random.ts";
import { changedBytes } from "./_change.ts";
import { Input } from "./_input.ts";
import { fuzz } from "./_loop.ts";

/** Undefined = refused. @throws whatever is not a WireError. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function theirs(bytes: Uint8Array): WireResume | undefined {
  let message: ResumeActorResponse;
  try {
    message = fromBinary(ResumeActorResponseSchema, bytes);
  } catch {
    return undefined;
  }
  const { actor, resumed } = message;
  return {
    actor: {
      status: actor?.status ?? 0,
      workerIp: actor?.ateomPodIp ?? "",
      templateNamespace: actor?.actorTemplateNamespace ?? "",
      templateName: actor?.actorTemplateName ?? "",
    },
    resumed,
  };
}

function run({ bytes }: Input): string {
  const health = attempt(() => decodeHealthRequest(bytes));
  assert(health === undefined || typeof health === "string");
  const reading = attempt(() => decodeResumeResponse(bytes));
  if (reading === undefined) return "refused";
  assertEquals(reading, theirs(bytes));
  return "read";
}

function actor(random: Random): Uint8Array {
  const fields = [
    () => number(4, random.pick([0, 1, 2, 3, 99, -1, 2n ** 40n + 2n])),
    () => field(7, random.pick(["10.0.0.1", "", "fd00::1", "gr\u00fc\u00df", "169.254.0.1"])),
    () => field(random.pick([2, 3]), random.pick(["default", "tpl", ""])),
    () => field(1, concat(field(random.pick([1, 2, 3]), "meta"), number(4, random.next()))),
    () => number(random.pick([6, 9, 300]), random.next()),
    () => field(random.pick([5, 8, 40]), random.bytes(random.below(9))),
  ];
  return concat(...Array.from({ length: random.below(6) }, () => random.pick(fields)()));
}

function response(random: Random): Uint8Array {
  const fields = [
    () => number(2, random.below(3)),
    () => field(9 + random.below(40), random.bytes(random.below(6))),
    () => field(1, actor(random)),
    () => field(1, actor(random)),
  ];
  return concat(...Array.from({ length: 1 + random.below(4) }, () => random.pick(fields)()));
}

Deno.test("fuzz: any answer of a control plane reads as protobuf-es reads it or is refused", () =>
  fuzz({
    name: "ateapi",
    form: "hex",
    fresh: (random) => Input.bytes(response(random)),
    changed: (random, { bytes }, other) => Input.bytes(changedBytes(random, bytes, other.bytes)),
    run,
    outcomes: ["read", "refused"],
    breeds: ["read"],
  }));
