// Everything we declare of Envoy's API is what Envoy declares.
import type { DescFile } from "@bufbuild/protobuf";
import { assert, assertEquals, assertGreater } from "@std/assert";
import { fileURLToPath } from "node:url";
import { officialProtos } from "./official.ts";
import { differences, generatedShape, textShape } from "./shape.ts";

const GENERATED = fileURLToPath(new URL("../../src/gen/", import.meta.url));

/**
 * Newer than the official files at hand; shapes as Envoy 1.40 has them. tests/xds shows them to a
 * real Envoy and compares what it read.
 */
const NEWER = new Map([
  [
    "envoy.config.common.mutation_rules.v3.HeaderMutation.RemoveOnMatch.key_matcher",
    "1 optional envoy.type.matcher.v3.StringMatcher",
  ],
  [
    "envoy.config.common.mutation_rules.v3.HeaderMutation.remove_on_match",
    "3 optional envoy.config.common.mutation_rules.v3.HeaderMutation.RemoveOnMatch oneof=action",
  ],
  [
    "envoy.config.core.v3.Http1ProtocolOptions.ignore_http_11_upgrade",
    "11 repeated envoy.type.matcher.v3.StringMatcher",
  ],
  [
    "envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor.status_on_error",
    "24 optional envoy.type.v3.HttpStatus",
  ],
]);

/** The descriptors of every generated file below a folder of src/gen. */
async function generatedFiles(dir: string): Promise<DescFile[]> {
  const files: DescFile[] = [];
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    const path = `${dir}/${name}`;
    if (isDirectory) {
      files.push(...await generatedFiles(path));
    } else {
      const module = await import(path) as Record<string, unknown>;
      const [, file] = Object.entries(module).find(([key]) => key.startsWith("file_")) ?? [];
      files.push(file as DescFile);
    }
  }
  return files;
}

const FILES = [
  ...await generatedFiles(`${GENERATED}envoy`),
  ...await generatedFiles(`${GENERATED}google`),
];

function officialTexts(): Promise<string[]> {
  return officialProtos(FILES.map((file) => `${file.name}.proto`));
}

Deno.test("every Envoy field, enum value and method we declare is the official one", async () => {
  const official = textShape(await officialTexts());
  const ours = generatedShape(FILES);
  assertGreater(FILES.length, 35);
  assertGreater(ours.size, 200);
  for (const [name, shape] of NEWER) {
    assertEquals(official.has(name), false, `${name} is in the official files by now`);
    assertEquals(ours.get(name), shape);
    ours.delete(name);
  }
  assertEquals(differences(ours, official), []);
});

Deno.test("a wrong number, type, label, oneof, enum value or method is noticed", async () => {
  const texts = await officialTexts();
  const ours = generatedShape(FILES);
  for (const name of NEWER.keys()) ours.delete(name);
  const spoilt: [from: string, to: string, name: string, count: number][] = [
    ["bytes raw_value = 3", "bytes raw_value = 4", "HeaderValue.raw_value", 1],
    ["string details = 5", "bytes details = 5", "ImmediateResponse.details", 1],
    ["repeated HeaderValue headers = 1", "HeaderValue headers = 1", "HeaderMap.headers", 1],
    ["oneof response {", "oneof answer {", "ProcessingResponse.request_headers", 7],
    ["OVERWRITE_IF_EXISTS_OR_ADD = 2", "OVERWRITE_IF_EXISTS_OR_ADD = 7", "OVERWRITE_IF_EXISTS_", 1],
    ["rpc Process(stream ProcessingRequest)", "rpc Process(ProcessingRequest)", ".Process", 1],
    ["string response_nonce = 5", "string response_nonce = 16", "Request.response_nonce", 1],
    ["string metadata_namespace = 1", "bytes metadata_namespace = 1", ".metadata_namespace", 1],
  ];
  for (const [from, to, name, count] of spoilt) {
    const changed = texts.map((text) => text.replaceAll(from, to));
    assert(changed.join() !== texts.join(), `the official files have no "${from}"`);
    const found = differences(ours, textShape(changed));
    assertEquals(found.length, count, `${from} -> ${to}: ${found}`);
    assert(found[0]?.includes(name), found[0]);
  }
});
