// Upgrades of an Envoy configuration: one with filters of its own is a chain beside the manager's,
// and is held to the same rules.
import { assertEquals } from "@std/assert";
import { stringify } from "yaml";
import { type Change, type Loose, partsOf, printed, problemsOf } from "./envoy_fixture.ts";
import { check, entry, EXT_PROC, OFF, overRds, say, toWorkers } from "./envoy_ways_fixture.ts";

const MISSING = `error envoy-no-extproc filter ${EXT_PROC} of upgrade websocket`;

type Filters = (all: Loose[]) => Loose[];

/** An upgrade with these of the manager's filters, copied. */
function upgraded(filters: Filters, more: Loose = {}): Change {
  return ({ manager }) => {
    const own = filters(structuredClone(manager.http_filters));
    manager.upgrade_configs = [{ upgrade_type: "websocket", filters: own, ...more }];
  };
}

function all(filters: Loose[]): Loose[] {
  return filters;
}

function withoutOurs(filters: Loose[]): Loose[] {
  return filters.filter(({ name }) => name !== EXT_PROC);
}

/** Behind all but the last. */
function oursLate(filters: Loose[]): Loose[] {
  const others = withoutOurs(filters);
  const mine = filters.filter((filter) => !others.includes(filter));
  return [...others.slice(0, -1), ...mine, ...others.slice(-1)];
}

/** A change on top of another. */
function both(...changes: Change[]): Change {
  return (parts) => changes.forEach((change) => change(parts));
}

/** Routes to workers say so of the upgrade. */
function routesSay(enabled: boolean, count = Infinity): Change {
  return (parts) => {
    for (const { route } of toWorkers(parts).slice(0, count)) {
      route.upgrade_configs = [{ upgrade_type: "WebSocket", enabled }];
    }
  };
}

Deno.test("an upgrade with a chain of its own asks the router too, or goes to no worker", () => {
  const off = upgraded(withoutOurs, { enabled: false });
  check([
    ["without the filter", upgraded(withoutOurs), [MISSING]],
    ["with it", upgraded(all), []],
    ["the manager's chain", upgraded(() => []), []],
    ["no chain at all", ({ manager }) => {
      manager.upgrade_configs = [{ upgrade_type: "websocket" }];
    }, []],
    ["in camelCase", ({ manager }) => {
      const filters = withoutOurs(manager.http_filters);
      delete manager.upgrade_configs;
      manager.upgradeConfigs = [{ upgradeType: "websocket", filters }];
    }, [MISSING]],
    ["one of two", ({ manager }) => {
      const filters = withoutOurs(manager.http_filters);
      manager.upgrade_configs = [{ upgrade_type: "x" }, { upgrade_type: "websocket", filters }];
    }, [MISSING]],
    ["off", off, []],
    ["off, on again for a route", both(off, routesSay(true, 1)), [MISSING]],
    ["off on every route to workers", both(upgraded(withoutOurs), routesSay(false)), []],
    ["off on one of them", both(upgraded(withoutOurs), routesSay(false, 1)), [MISSING]],
  ]);
});

Deno.test("an upgrade without the filter whose routes are not to be seen is a warning", () => {
  const doubt = `warning not-checked filter ${EXT_PROC} of upgrade websocket`;
  const unasked: Change = (parts) => {
    parts.manager.http_filters.splice(parts.manager.http_filters.indexOf(entry(parts)), 1);
  };
  check([
    ["over RDS", both(upgraded(withoutOurs), overRds), [doubt]],
    ["over RDS, and off", both(upgraded(withoutOurs, { enabled: false }), overRds), []],
    ["over RDS, with the filter", both(upgraded(all), overRds), []],
    ["in a manager without it", both(upgraded(withoutOurs), unasked, overRds), [
      `error envoy-no-extproc filter ${EXT_PROC}`,
    ]],
  ]);
});

Deno.test("the filter in an upgrade's chain is held to the rules of the filter", () => {
  const ours = (change: (filter: Loose) => void) =>
    upgraded((filters) => {
      change(filters.find(({ name }) => name === EXT_PROC));
      return filters;
    });
  check([
    ["message_timeout", ours(({ typed_config }) => typed_config.message_timeout = "1s"), [
      "error envoy-message-timeout message_timeout=1s",
    ]],
    ["fails open", ours(({ typed_config }) => typed_config.failure_mode_allow = true), [
      "error envoy-fails-open failure_mode_allow=true",
    ]],
    ["behind the forward proxy", upgraded(oursLate), [
      `error envoy-filter-order filter ${EXT_PROC}`,
    ]],
    ["turned off", ours((filter) => filter.disabled = true), [
      "error envoy-not-asked ext_proc disabled=true",
    ]],
    ["under another name, turned off by a route", (parts) => {
      ours((filter) => filter.name = "ask")(parts);
      say(toWorkers(parts)[0], OFF, "ask");
    }, ["error envoy-not-asked typed_per_filter_config disabled=true"]],
    ["turned off where the upgrade is", (parts) => {
      both(ours((filter) => filter.disabled = true), routesSay(false))(parts);
    }, []],
  ]);
});

Deno.test("the filter in an upgrade's chain alone does not cover all other requests", () => {
  const onlyThere = both(upgraded(all), (parts) => {
    parts.manager.http_filters.splice(parts.manager.http_filters.indexOf(entry(parts)), 1);
  });
  check([["only there", onlyThere, [`error envoy-no-extproc filter ${EXT_PROC}`]]]);
});

Deno.test("a problem of an upgrade's chain is told at that chain", () => {
  const root = printed({});
  upgraded(withoutOurs)(partsOf(root));
  const text = stringify(root);
  const [problem] = problemsOf(text, {});
  const from = text.split("\n").findIndex((line) => line.includes("upgrade_type"));
  assertEquals(text.split("\n")[from + 1]?.trim(), "filters:");
  assertEquals(problem?.place?.line, from + 3, "the first of its filters");
});
