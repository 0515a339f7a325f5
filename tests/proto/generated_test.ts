// src/gen is what `deno task gen` makes of proto/, and its messages survive the wire.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { HeaderValueOption_HeaderAppendAction } from "../../src/gen/envoy/config/core/v3/base_pb.ts";
import { ProcessingResponseSchema } from "../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import {
  ListActorsRequestSchema,
  ResumeActorResponseSchema,
} from "../../src/gen/ateapi/ateapi_pb.ts";

async function filesBelow(dir: string, prefix = ""): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const entry of Deno.readDir(dir)) {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory) {
      for (const [name, text] of await filesBelow(path, `${prefix}${entry.name}/`)) {
        files.set(name, text);
      }
    } else {
      files.set(prefix + entry.name, await Deno.readTextFile(path));
    }
  }
  return files;
}

Deno.test("src/gen is up to date with proto/", async () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const outDir = await Deno.makeTempDir({ prefix: "atenet-gen-" });
  try {
    const run = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", `${root}proto/generate.ts`, outDir],
      cwd: root,
    }).output();
    assert(run.success, new TextDecoder().decode(run.stderr));
    const fresh = await filesBelow(outDir);
    const committed = await filesBelow(`${root}src/gen`);
    assertEquals([...fresh.keys()].sort(), [...committed.keys()].sort());
    for (const [name, text] of fresh) assertEquals(committed.get(name), text, `${name} is stale`);
  } finally {
    await Deno.remove(outDir, { recursive: true });
  }
});

function hex(bytes: Uint8Array): string {
  return bytes.toHex();
}

Deno.test("a routed answer has the bytes of the wire format", () => {
  const response = create(ProcessingResponseSchema, {
    response: {
      case: "requestHeaders",
      value: {
        response: {
          headerMutation: {
            setHeaders: [{
              header: { key: ":authority", rawValue: new TextEncoder().encode("10.0.0.1:80") },
              appendAction: HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
            }],
          },
        },
      },
    },
  });
  const bytes = toBinary(ProcessingResponseSchema, response);
  assertEquals(
    hex(bytes),
    "0a23" + "0a21" + "121f" + "0a1d" + "0a19" + "0a0a" +
      hex(new TextEncoder().encode(":authority")) +
      "1a0b" + hex(new TextEncoder().encode("10.0.0.1:80")) + "1802",
  );
});

Deno.test("a control-plane answer is read from its wire layout; unknown fields are skipped", () => {
  const text = (field: number, value: string) =>
    Uint8Array.of(field << 3 | 2, value.length, ...new TextEncoder().encode(value));
  const actor = [
    ...text(2, "ns"),
    ...text(3, "tpl"),
    0x20, // field 4, varint
    2,
    ...text(6, "not ours"),
    ...text(7, "10.1.2.3"),
  ];
  const answer = fromBinary(
    ResumeActorResponseSchema,
    Uint8Array.of(0x0a, actor.length, ...actor, 0x10, 1, 0x78, 5),
  );
  assertEquals(answer.resumed, true);
  assertEquals(answer.actor?.actorTemplateNamespace, "ns");
  assertEquals(answer.actor?.actorTemplateName, "tpl");
  assertEquals(answer.actor?.status, 2);
  assertEquals(answer.actor?.ateomPodIp, "10.1.2.3");
});

Deno.test("the health probe asks for one actor through field 2", () => {
  const request = create(ListActorsRequestSchema, { pageSize: 1 });
  assertEquals(hex(toBinary(ListActorsRequestSchema, request)), "1001");
});
