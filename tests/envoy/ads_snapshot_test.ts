// What is served over ADS, as bytes: every word of every resource survives the way to protobuf and
// back, and the version of a type changes exactly when its content does.
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { adsResources } from "../../src/envoy/ads_resources.ts";
import { type AdsSnapshot, adsSnapshot, encodeResource } from "../../src/envoy/ads_snapshot.ts";
import {
  LISTENER_TYPE,
  RESOURCE_REGISTRY,
  ROUTE_TYPE,
  SECRET_TYPE,
  SERVED_TYPES,
} from "../../src/envoy/ads_types.ts";
import { ENVOY_DEFAULTS, type EnvoyOptions } from "../../src/envoy/options.ts";

/** Every combination of what changes the shape of a resource. */
function combinations(): EnvoyOptions[] {
  const all: EnvoyOptions[] = [];
  for (const routeMode of ["authority", "original-dst"] as const) {
    for (const envoyCertPath of ["", "/run/certs/", "/run/bundle.pem", "bundle.pem"]) {
      for (const otlpCollectorAddress of ["", "collector.example:4317"]) {
        for (const resetCure of ["guard", "cap", "none"] as const) {
          for (const times of [{}, { messageTimeoutMs: 1, routeTimeoutMs: 0 }]) {
            const over = { routeMode, envoyCertPath, otlpCollectorAddress, resetCure, ...times };
            all.push({ ...ENVOY_DEFAULTS, ...over, workerPort: 8081, listenAddress: "::" });
          }
        }
      }
    }
  }
  return all;
}

/** Durations may be written in more than one way. */
function sameDurations(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value),
    (_, inner) =>
      typeof inner === "string" && /^\d+(\.\d+)?s$/.test(inner)
        ? `${Number(inner.slice(0, -1))}s`
        : inner,
  );
}

/** What `whole` has and `part` has otherwise or not at all, as paths. */
function missing(whole: unknown, part: unknown, path = ""): string[] {
  if (typeof whole !== "object" || whole === null) {
    return Object.is(whole, part) ? [] : [`${path}: ${whole} became ${part}`];
  }
  if (typeof part !== "object" || part === null) return [`${path}: lost`];
  return Object.entries(whole).flatMap(([key, value]) =>
    missing(value, (part as Record<string, unknown>)[key], `${path}/${key}`)
  );
}

function typed(options: EnvoyOptions): [typeUrl: string, resource: { name: string }][] {
  const { listeners, routes, secrets } = adsResources(options);
  return [
    ...listeners.map((one) => [LISTENER_TYPE, one] as [string, { name: string }]),
    ...routes.map((one) => [ROUTE_TYPE, one] as [string, { name: string }]),
    ...secrets.map((one) => [SECRET_TYPE, one] as [string, { name: string }]),
  ];
}

Deno.test("JSON to binary and back loses and adds nothing, for every combination of flags", () => {
  const registry = RESOURCE_REGISTRY;
  for (const options of combinations()) {
    for (const [typeUrl, resource] of typed(options)) {
      const json = sameDurations({ "@type": typeUrl, ...resource });
      const bytes = toBinary(AnySchema, encodeResource(typeUrl, resource));
      const read = fromBinary(AnySchema, bytes);
      const as = { registry, useProtoFieldName: true };
      const back = sameDurations(toJson(AnySchema, read, { ...as, alwaysEmitImplicit: true }));
      const terse = sameDurations(toJson(AnySchema, read, as));
      assertEquals(missing(json, back), [], `lost of ${resource.name}`);
      assertEquals(missing(terse, json), [], `added to ${resource.name}`);
      const again = fromJson(AnySchema, back as JsonValue, { registry });
      assertEquals(toBinary(AnySchema, again), bytes);
    }
  }
});

Deno.test("the comparison notices a value that is lost, changed or added", () => {
  assertEquals(missing({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }), []);
  assertEquals(missing({ a: [{ b: 1 }, {}] }, { a: [{}] }), [
    "/a/0/b: 1 became undefined",
    "/a/1: lost",
  ]);
  assertEquals(missing({ a: false }, { a: "false" }), ["/a: false became false"]);
  assertEquals(sameDurations(["0.200s", "10s", "s", "1.5"]), ["0.2s", "10s", "s", "1.5"]);
});

Deno.test("a word that the protobuf message does not have is refused, not dropped", () => {
  const listener = adsResources(ENVOY_DEFAULTS).listeners[0]!;
  for (
    const wrong of [
      { ...listener, colour: "red" },
      { ...listener, address: { socket_address: { port: 80 } } },
      { ...listener, per_connection_buffer_limit_bytes: -1 },
      { ...listener, filter_chains: [{ filters: [{ typed_config: { "@type": "x/unknown" } }] }] },
    ]
  ) {
    const error = assertThrows(() => encodeResource(LISTENER_TYPE, wrong), TypeError);
    assertMatch(error.message, /^Cannot encode resource as .*Listener: atenet_http: /);
  }
});

function versions(snapshot: AdsSnapshot): (string | undefined)[] {
  return SERVED_TYPES.map((type) => snapshot.get(type)?.version);
}

Deno.test("the version of a type follows its content and nothing else", async () => {
  const https = { ...ENVOY_DEFAULTS, envoyCertPath: "/run/certs/" };
  const base = versions(await adsSnapshot(https));
  for (const version of base) assertMatch(version ?? "", /^[0-9a-f]{16}$/);
  assertEquals(versions(await adsSnapshot({ ...https })), base, "same options, same versions");
  const rows: [over: Partial<EnvoyOptions>, changed: boolean[]][] = [
    [{ routeTimeoutMs: 20_000 }, [false, true, false]],
    [{ messageTimeoutMs: 20_000 }, [true, false, false]],
    [{ portHttp: 81 }, [true, false, false]],
    [{ envoyCertPath: "/run/other/" }, [false, false, true]],
    [{ envoyCertPath: "" }, [true, false, true]],
    [{ routeMode: "original-dst" }, [true, true, false]],
    [{ workerPort: 8080 }, [false, true, false]],
    [{ otlpCollectorAddress: "c:4317" }, [true, false, false]],
    // Of the bootstrap alone.
    [{ breaker: 9, portExtproc: 9, portXds: 9, adminAddress: "", nodeId: "x" }, [
      false,
      false,
      false,
    ]],
    [{ resetCure: "none", ads: true }, [false, false, false]],
  ];
  for (const [over, changed] of rows) {
    const now = versions(await adsSnapshot({ ...https, ...over }));
    assertEquals(now.map((version, at) => version !== base[at]), changed, JSON.stringify(over));
  }
});

Deno.test("a snapshot holds every resource by its name, and no key material", async () => {
  const snapshot = await adsSnapshot({ ...ENVOY_DEFAULTS, envoyCertPath: "/run/certs/" });
  assertEquals(SERVED_TYPES.map((type) => [...snapshot.get(type)!.resources.keys()]), [
    ["atenet_http", "atenet_https"],
    ["atenet_routes"],
    ["atenet_certificate"],
  ]);
  const secret = snapshot.get(SECRET_TYPE)!.resources.get("atenet_certificate")!;
  const said = new TextDecoder().decode(secret.value);
  assert(said.includes("/run/certs/tls.key") && !said.includes("PRIVATE KEY"));
  const bare = await adsSnapshot(ENVOY_DEFAULTS);
  assertEquals(bare.get(SECRET_TYPE)?.resources.size, 0);
});
