import { assertEquals, assertThrows } from "@std/assert";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  ListActorsRequestSchema,
  ResumeActorRequestSchema,
  ResumeActorResponseSchema,
} from "../../src/gen/ateapi/ateapi_pb.ts";
import {
  decodeResumeResponse,
  encodeListRequest,
  encodeResumeRequest,
} from "../../src/wire/ateapi.ts";
import { WireError } from "../../src/wire/error.ts";
import { concat, field, hex, number, tag } from "./support/bytes.ts";
import { Random, seedOf } from "./support/random.ts";

const ZERO = { status: 0, workerIp: "", templateNamespace: "", templateName: "" };

Deno.test("ResumeActor's request is byte for byte what protobuf-es writes; boot is not set", () => {
  for (const [atespace, name] of [["demo", "a1"], ["", ""], ["s", "x".repeat(200)]] as const) {
    const expected = toBinary(
      ResumeActorRequestSchema,
      create(ResumeActorRequestSchema, { actor: { atespace, name } }),
    );
    assertEquals(hex(encodeResumeRequest(atespace, name)), hex(expected));
  }
  assertEquals(hex(encodeResumeRequest("demo", "a1")), "0a0a0a0464656d6f12026131");
});

Deno.test("the probe's request asks for one actor", () => {
  assertEquals(hex(encodeListRequest(1)), "1001");
  assertEquals(fromBinary(ListActorsRequestSchema, encodeListRequest(1)).pageSize, 1);
  assertEquals(encodeListRequest(0).length, 0);
});

Deno.test("ResumeActor's response: the fields we use", () => {
  const bytes = toBinary(
    ResumeActorResponseSchema,
    create(ResumeActorResponseSchema, {
      actor: {
        metadata: { atespace: "demo", name: "a1", uid: "u", version: 7n },
        actorTemplateNamespace: "ns",
        actorTemplateName: "tpl",
        status: 2,
        ateomPodIp: "10.0.0.1",
      },
      resumed: true,
    }),
  );
  assertEquals(decodeResumeResponse(bytes), {
    actor: { status: 2, workerIp: "10.0.0.1", templateNamespace: "ns", templateName: "tpl" },
    resumed: true,
  });
});

Deno.test("what is absent has its zero value", () => {
  assertEquals(decodeResumeResponse(new Uint8Array(0)), { actor: ZERO, resumed: false });
  assertEquals(decodeResumeResponse(field(1)), { actor: ZERO, resumed: false });
});

Deno.test("the last scalar wins, actors are merged, unknown fields and numbers are let through", () => {
  const first = field(1, concat(number(4, 1), field(7, "10.0.0.1"), field(2, "ns")));
  const second = field(1, concat(number(4, 2), field(7, "10.0.0.2"), field(8, "10.9.9.9")));
  const bytes = concat(first, number(2, 1), field(15, "x"), second, number(2, 0));
  assertEquals(decodeResumeResponse(bytes), {
    actor: { ...ZERO, status: 2, workerIp: "10.0.0.2", templateNamespace: "ns" },
    resumed: false,
  });
  assertEquals(decodeResumeResponse(field(1, number(4, 77))).actor.status, 77);
  assertEquals(decodeResumeResponse(field(1, number(4, -3))).actor.status, -3);
  assertEquals(decodeResumeResponse(number(2, 2n ** 40n)).resumed, true);
});

Deno.test("the address of other layouts is not guessed", () => {
  // June: field 8 of a flat actor. Later: under a status message in field 4.
  const flat = field(1, concat(number(4, 2), field(8, "10.0.0.8")));
  assertEquals(decodeResumeResponse(flat).actor.workerIp, "");
  assertThrows(() => decodeResumeResponse(field(1, field(4, "status"))), WireError, "wire type");
});

Deno.test("what is not a response is refused", () => {
  const bad = [
    [0x0a],
    field(1, field(7, [0xff])),
    field(1, field(1, field(2, [0xc3]))),
    field(1, field(1, field(4, "x"))),
    field(1, number(7, 1)),
    field(2, "x"),
    number(1, 1),
    concat(tag(9, 3), tag(8, 4)),
    [0xff, 0xff, 0xff],
  ];
  for (const bytes of bad) {
    assertThrows(() => decodeResumeResponse(Uint8Array.from(bytes)), WireError);
  }
});

Deno.test("random responses, whole and damaged, read as protobuf-es reads them or are refused", () => {
  const random = new Random(seedOf("ateapi"));
  let same = 0;
  let refused = 0;
  for (let i = 0; i < 20_000; i++) {
    const bytes = responseBytes(random);
    const damaged = random.oneIn(2);
    if (damaged) damage(random, bytes);
    const ours = attempt(() => decodeResumeResponse(bytes));
    const theirs = attempt(() => fromBinary(ResumeActorResponseSchema, bytes));
    if (ours === undefined) {
      refused++;
      if (!damaged) throw new Error(`refused a whole message: ${hex(bytes)}`);
      continue;
    }
    const { actor, resumed = false } = theirs ?? {};
    const expected = {
      actor: {
        status: actor?.status ?? 0,
        workerIp: actor?.ateomPodIp ?? "",
        templateNamespace: actor?.actorTemplateNamespace ?? "",
        templateName: actor?.actorTemplateName ?? "",
      },
      resumed,
    };
    assertEquals(theirs === undefined ? "refused" : ours, expected, hex(bytes));
    same++;
  }
  assertEquals([same > 9_000, refused > 1_000], [true, true], `${same} same, ${refused} refused`);
});

function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function responseBytes(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = random.below(4); i >= 0; i--) {
    const fields = [
      () => number(2, random.below(3)),
      () => field(9 + random.below(40), random.bytes(random.below(6))),
      () => field(1, actorBytes(random)),
      () => field(1, actorBytes(random)),
    ];
    parts.push(random.pick(fields)());
  }
  return concat(...parts);
}

function actorBytes(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = random.below(6); i > 0; i--) {
    const fields = [
      () => number(4, random.pick([0, 1, 2, 3, 99, -1, 2n ** 40n + 2n])),
      () => field(7, random.pick(["10.0.0.1", "", "fd00::1", "gr\u00fc\u00df"])),
      () => field(random.pick([2, 3]), random.pick(["default", "tpl", ""])),
      () => field(1, concat(field(random.pick([1, 2, 3]), "meta"), number(4, random.next()))),
      () => number(random.pick([6, 9, 300]), random.next()),
    ];
    parts.push(random.pick(fields)());
  }
  return concat(...parts);
}

function damage(random: Random, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  for (let i = random.below(3); i >= 0; i--) {
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  }
}
