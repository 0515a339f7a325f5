// The flow stays visible: every file opens with a comment, the numbered files tell the path of a
// request without a gap, and the README prints the same path.
import { assert, assertEquals } from "@std/assert";
import { chainLines, follow, LAST, type Stage, stageOf, stages } from "./chain.ts";
import { sources, text, written } from "./tree.ts";

/** Steps of a request: 1 head … 12 stream. */
const STEPS = 12;

Deno.test("every file but a test opens with a comment that says what it is", () => {
  const all = written().filter((path) => !path.endsWith("_test.ts"));
  const bare = all.filter((path) => !/^(\/\/ \S|\/\*\* ?\S)/.test(text(path)));
  assertEquals(bare, []);
});

Deno.test("a header that begins with a step has the form of one", () => {
  const odd = sources().filter((path) => /^\/\/ Steps? \d+:/.test(text(path)) && !stageOf(path));
  assertEquals(odd, []);
});

/** What breaks the path of a request; nothing when it holds. */
function gaps(all: readonly Stage[]): string[] {
  const path = follow(all);
  const problems: string[] = [];
  if (path.at(-1)?.name !== LAST) {
    problems.push(`the path ends at ${path.at(-1)?.name}, whose To is ${path.at(-1)?.to}`);
  }
  path.forEach((one, i) => {
    const before = path[i - 1];
    if (before && one.from !== before.name) {
      problems.push(`${before.path} leads to ${one.path}, which says From ${one.from}`);
    }
    if (before && one.step < before.step) problems.push(`${one.path} goes back to ${one.step}`);
  });
  for (const one of all) {
    if (!path.includes(one) && one.step !== STEPS) problems.push(`${one.path} is not on the path`);
    for (const name of [one.from, one.to]) {
      const known = !name.endsWith(".ts") || all.some((other) => other.name === name);
      if (!known) problems.push(`${one.path} names ${name}, which is not numbered`);
    }
  }
  const steps = new Set(all.flatMap((one) => [one.step, ...one.also.map(({ step }) => step)]));
  for (let step = 1; step <= STEPS; step++) {
    if (!steps.has(step)) problems.push(`no file has step ${step}`);
  }
  return problems;
}

Deno.test("the numbered files lead from head to reply without a gap", () => {
  assertEquals(gaps(stages()), []);
});

Deno.test("the README prints the path as the headers tell it", () => {
  const block = /## The path of a request\n[\s\S]*?```text\n([\s\S]*?)```/.exec(text("README.md"));
  assert(block, "the README has no block under `## The path of a request`");
  assertEquals(block[1]?.trimEnd().split("\n"), chainLines(stages()));
});

function made(name: string, header: string): Stage {
  const stage = stageOf(`src/room/${name}`, `${header}\nexport {};\n`);
  assert(stage, header);
  return stage;
}

Deno.test("the rule sees a gap", () => {
  const chain = [
    made("service.ts", "// Step 12: stream. From Envoy. To head.ts."),
    made("head.ts", "// Step 1: head. From service.ts. To host.ts."),
    made("host.ts", "// Step 2: host. From head.ts. To flight.ts."),
    made(
      "flight.ts",
      "// Step 3: flight. From host.ts. To reply.ts.  (Step 4, attempt, is here too.) (Steps 5, x, y)",
    ),
    made("reply.ts", "// Step 11: reply. From flight.ts. To service.ts."),
  ];
  const missing = [6, 7, 8, 9, 10].map((step) => `no file has step ${step}`);
  assertEquals(gaps(chain), missing);
  assertEquals(chainLines(chain).slice(2, 4), [
    "Step 3: flight, Step 4: attempt, Step 5: x (src/room/flight.ts)",
    "Step 11: reply (src/room/reply.ts)",
  ]);
  const [service, head, host, flight, reply] = chain as [Stage, Stage, Stage, Stage, Stage];
  assertEquals(gaps([service, head, host, reply]).slice(0, 3), [
    "the path ends at host.ts, whose To is flight.ts",
    "src/room/host.ts names flight.ts, which is not numbered",
    "src/room/reply.ts is not on the path",
  ]);
  const astray = { ...flight, from: "lot.ts" };
  assertEquals(gaps([service, head, host, astray, reply]).slice(0, 2), [
    "src/room/host.ts leads to src/room/flight.ts, which says From lot.ts",
    "src/room/flight.ts names lot.ts, which is not numbered",
  ]);
});
