// The rules of one subscription, as scripts: what is sent when, and what is known of it afterwards.
import { create } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { assertEquals } from "@std/assert";
import type { AdsRequest } from "../../src/envoy/ads_message.ts";
import type { AdsTypeSnapshot } from "../../src/envoy/ads_snapshot.ts";
import { AdsSubscription } from "../../src/envoy/ads_subscription.ts";
import { LISTENER_TYPE, ROUTE_TYPE } from "../../src/envoy/ads_types.ts";

function snapshot(version: string, ...names: string[]): AdsTypeSnapshot {
  const any = (name: string) => create(AnySchema, { typeUrl: name });
  return { version, resources: new Map(names.map((name) => [name, any(name)])) };
}

type Said = Partial<Pick<AdsRequest, "version" | "nonce" | "names" | "error">>;

/** A subscription with the responses that a stream would send. */
class Script {
  readonly subscription: AdsSubscription;
  serves: AdsTypeSnapshot;
  #nonces = 0;

  constructor(typeUrl: string, serves: AdsTypeSnapshot) {
    this.subscription = new AdsSubscription(typeUrl);
    this.serves = serves;
  }

  /** A request; answers what it was and the names that are sent now (undefined = nothing). */
  says(said: Said = {}): [answer: string, sent: string[] | undefined] {
    const request: AdsRequest = {
      ...{ nodeId: "", nodeCluster: "", typeUrl: "", version: "", nonce: "", names: [] },
      error: undefined,
      ...said,
    };
    const answer = this.subscription.take(request);
    return [answer, answer === "stale" ? undefined : this.sends()];
  }

  /** What a change of the snapshot sends. */
  sends(): string[] | undefined {
    if (!this.subscription.due(this.serves)) return undefined;
    const names = this.subscription.wanted(this.serves).map(({ typeUrl }) => typeUrl);
    this.subscription.sent(this.serves.version, String(++this.#nonces));
    return names;
  }
}

const ROUTES = snapshot("v1", "r1", "r2");
const LISTENERS = snapshot("v1", "l1", "l2");

Deno.test("a listener subscription without names gets all, once per version", () => {
  const script = new Script(LISTENER_TYPE, LISTENERS);
  assertEquals(script.subscription.standing, undefined);
  assertEquals(script.says(), ["asked", ["l1", "l2"]]);
  assertEquals(script.subscription.standing?.state, "sent");
  assertEquals(script.says({ nonce: "1", version: "v1" }), ["accepted", undefined]);
  assertEquals(script.sends(), undefined);
  script.serves = snapshot("v2", "l2");
  assertEquals(script.sends(), ["l2"]);
  assertEquals(script.subscription.standing, {
    state: "sent",
    version: "v2",
    inUse: "v1",
    error: undefined,
  });
});

Deno.test("a star means all listeners, names mean those", () => {
  assertEquals(new Script(LISTENER_TYPE, LISTENERS).says({ names: ["*"] })[1], ["l1", "l2"]);
  assertEquals(new Script(LISTENER_TYPE, LISTENERS).says({ names: ["l2"] })[1], ["l2"]);
  assertEquals(new Script(LISTENER_TYPE, LISTENERS).says({ names: ["*", "l2"] })[1], ["l1", "l2"]);
});

Deno.test("routes are answered only for the names asked", () => {
  const script = new Script(ROUTE_TYPE, ROUTES);
  assertEquals(script.says(), ["asked", undefined], "no names, nothing wanted");
  assertEquals(script.says({ names: ["r2"] }), ["asked", ["r2"]]);
  assertEquals(script.says({ names: ["*"] })[1], undefined, "an old nonce");
  assertEquals(new Script(ROUTE_TYPE, ROUTES).says({ names: ["*"] }), ["asked", []]);
});

Deno.test("a name that is not there is answered, once, without it", () => {
  const script = new Script(ROUTE_TYPE, ROUTES);
  assertEquals(script.says({ names: ["x"] }), ["asked", []]);
  assertEquals(script.says({ names: ["x"], nonce: "1" }), ["accepted", undefined]);
  script.serves = snapshot("v2", "x");
  assertEquals(script.sends(), ["x"]);
});

Deno.test("a new name is answered with everything asked; a name given up is not", () => {
  const script = new Script(ROUTE_TYPE, ROUTES);
  script.says({ names: ["r1"] });
  assertEquals(script.says({ names: ["r1", "r2"], nonce: "1" }), ["accepted", ["r1", "r2"]]);
  assertEquals(script.says({ names: ["r2"], nonce: "2" }), ["accepted", undefined]);
  assertEquals(script.says({ names: ["r2", "r1"], nonce: "2" }), ["asked", ["r1", "r2"]]);
});

Deno.test("nothing is sent to who gave up every name", () => {
  const script = new Script(ROUTE_TYPE, ROUTES);
  script.says({ names: ["r1"] });
  script.says({ names: [], nonce: "1" });
  script.serves = snapshot("v2", "r1");
  assertEquals(script.sends(), undefined);
  assertEquals(script.says({ names: ["r1"], nonce: "1" }), ["asked", ["r1"]]);
});

Deno.test("an answer to a response that was replaced changes nothing", () => {
  const script = new Script(ROUTE_TYPE, ROUTES);
  script.says({ names: ["r1"] });
  script.serves = snapshot("v2", "r1");
  script.sends();
  assertEquals(script.says({ names: ["r1"], nonce: "1" }), ["stale", undefined]);
  assertEquals(script.says({ names: [], nonce: "" }), ["stale", undefined]);
  assertEquals(script.says({ names: ["r1"], nonce: "1", error: "late" }), ["stale", undefined]);
  assertEquals(script.subscription.standing?.state, "sent");
  assertEquals(script.says({ names: ["r1"], nonce: "2" }), ["accepted", undefined]);
});

Deno.test("a refused version is shown and not sent again until it changes", () => {
  const script = new Script(LISTENER_TYPE, LISTENERS);
  script.says();
  script.says({ nonce: "1" });
  script.serves = snapshot("v2", "l1");
  script.sends();
  assertEquals(script.says({ nonce: "2", version: "v1", error: "bad" }), ["rejected", undefined]);
  assertEquals(script.subscription.standing, {
    state: "rejected",
    version: "v2",
    inUse: "v1",
    error: "bad",
  });
  assertEquals(script.sends(), undefined);
  assertEquals(script.says({ nonce: "2", version: "v1", error: "bad" }), ["asked", undefined]);
  script.serves = snapshot("v3", "l1");
  assertEquals(script.sends(), ["l1"]);
  assertEquals(script.says({ nonce: "3", version: "v3" }), ["accepted", undefined]);
  assertEquals(script.subscription.standing?.inUse, "v3");
});

Deno.test("an Envoy that comes back with this version of the listeners is sent nothing", () => {
  const script = new Script(LISTENER_TYPE, LISTENERS);
  assertEquals(script.says({ version: "v1" }), ["asked", undefined]);
  assertEquals(script.subscription.standing?.state, "accepted");
  assertEquals(script.subscription.standing?.inUse, "v1");
  script.serves = snapshot("v2", "l1");
  assertEquals(script.sends(), ["l1"]);
});

Deno.test("one that comes back with another version is sent ours", () => {
  const script = new Script(LISTENER_TYPE, LISTENERS);
  assertEquals(script.says({ version: "v0" }), ["asked", ["l1", "l2"]]);
  assertEquals(script.subscription.standing?.inUse, "v0");
});

Deno.test("names are answered again on a new stream: the version alone does not say it has them", () => {
  const script = new Script(ROUTE_TYPE, ROUTES);
  assertEquals(script.says({ version: "v1", names: ["r1"] }), ["asked", ["r1"]]);
  const listeners = new Script(LISTENER_TYPE, LISTENERS);
  assertEquals(listeners.says({ version: "v1", names: ["l1"] }), ["asked", ["l1"]]);
});

Deno.test("a nonce of an earlier stream does not matter on a new one", () => {
  const script = new Script(LISTENER_TYPE, LISTENERS);
  assertEquals(script.says({ version: "v0", nonce: "77" }), ["asked", ["l1", "l2"]]);
});
