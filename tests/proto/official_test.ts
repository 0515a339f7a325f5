// Everything we declare of Envoy's API is what Envoy declares.
import { assert, assertEquals, assertGreater } from "@std/assert";
import { file_envoy_config_core_v3_base } from "../../src/gen/envoy/config/core/v3/base_pb.ts";
import { file_envoy_service_ext_proc_v3_external_processor } from "../../src/gen/envoy/service/ext_proc/v3/external_processor_pb.ts";
import { file_envoy_type_v3_http_status } from "../../src/gen/envoy/type/v3/http_status_pb.ts";
import { officialProtos } from "./official.ts";
import { differences, generatedShape, textShape } from "./shape.ts";

const FILES = [
  file_envoy_service_ext_proc_v3_external_processor,
  file_envoy_config_core_v3_base,
  file_envoy_type_v3_http_status,
];

Deno.test("every Envoy field, enum value and method we declare is the official one", async () => {
  const official = textShape(await officialProtos(FILES.map((file) => `${file.name}.proto`)));
  const ours = generatedShape(FILES);
  assertGreater(ours.size, 50);
  assertEquals(differences(ours, official), []);
});

Deno.test("a wrong number, type, label, oneof, enum value or method is noticed", async () => {
  const texts = await officialProtos(FILES.map((file) => `${file.name}.proto`));
  const ours = generatedShape(FILES);
  const spoilt: [from: string, to: string, name: string, count: number][] = [
    ["bytes raw_value = 3", "bytes raw_value = 4", "HeaderValue.raw_value", 1],
    ["string details = 5", "bytes details = 5", "ImmediateResponse.details", 1],
    ["repeated HeaderValue headers = 1", "HeaderValue headers = 1", "HeaderMap.headers", 1],
    ["oneof response {", "oneof answer {", "ProcessingResponse.request_headers", 7],
    ["OVERWRITE_IF_EXISTS_OR_ADD = 2", "OVERWRITE_IF_EXISTS_OR_ADD = 7", "OVERWRITE_IF_EXISTS_", 1],
    ["rpc Process(stream ProcessingRequest)", "rpc Process(ProcessingRequest)", ".Process", 1],
  ];
  for (const [from, to, name, count] of spoilt) {
    const changed = texts.map((text) => text.replaceAll(from, to));
    assert(changed.join() !== texts.join(), `the official files have no "${from}"`);
    const found = differences(ours, textShape(changed));
    assertEquals(found.length, count, `${from} -> ${to}: ${found}`);
    assert(found[0]?.includes(name), found[0]);
  }
});
