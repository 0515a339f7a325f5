// `serve --demo`: a control plane, echo workers, the router and a real Envoy on this machine, and the
// same burst of requests with parking off and on. Everything it starts it stops, on every path.
// Called by the command line with the parts that the composition root makes.
import { hostOf } from "./burst.ts";
import type { DemoOptions, DemoParts } from "./demo_parts.ts";
import { DEMO } from "./demo_plan.ts";
import { shortcomings, table } from "./demo_report.ts";
import { playRound } from "./demo_round.ts";
import { DemoScreen } from "./demo_screen.ts";
import { DemoStage } from "./demo_stage.ts";
import { numberedActors } from "./model.ts";

/**
 * Runs the demo.
 * @returns the exit code: 0 when the table shows 503s with parking off and none with parking on; 1
 * when it does not, when something cannot be started, or when the signal came before the table.
 */
export async function runDemo(options: DemoOptions, parts: DemoParts): Promise<number> {
  const { signal, out, clock } = parts;
  const screen = new DemoScreen(out, clock);
  const stage = new DemoStage(options, parts);
  let code = 1;
  try {
    code = await play(options, parts, screen, stage);
    if (options.stay) await aborted(signal);
  } catch (error) {
    if (!signal.aborted) {
      screen.line(`demo: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (signal.aborted) screen.line("stopping");
  for (const problem of await stage.stopAll()) screen.line(`demo: ${problem}`);
  return code;
}

async function play(
  options: DemoOptions,
  { clock, signal, findEnvoy }: DemoParts,
  screen: DemoScreen,
  stage: DemoStage,
): Promise<number> {
  const { hostname, workers, actors, requests, lot } = DEMO;
  screen.step(`control plane with ${workers} workers and ${actors} actors`);
  const pool = await stage.pool();
  screen.done();
  signal.throwIfAborted();

  screen.step("router");
  let router = await stage.router(pool, 0, 0);
  const { extprocPort } = router;
  screen.done(`router on ${hostname}:${extprocPort}`);
  signal.throwIfAborted();

  screen.step("Envoy");
  const binary = await orAborted(signal, findEnvoy((line) => screen.line(`    ${line}`), signal));
  const envoy = await stage.envoy(binary, pool, router);
  screen.done(`Envoy on http://${hostname}:${envoy.port}`);
  screen.line(`    ${binary}`);

  screen.title(`burst: ${requests} requests for ${actors} actors over ${workers} workers`);
  const { actorDomain } = options;
  const round = { screen, pool, envoy, actorDomain, clock, signal };
  const off = await playRound({ ...round, name: "parking off", statusUrl: router.statusUrl });
  await stage.stopOne("router");
  router = await stage.router(pool, lot, extprocPort);
  const on = await playRound({ ...round, name: "parking on", statusUrl: router.statusUrl });
  for (const line of table(off, on)) screen.line(line);

  const problems = shortcomings(off, on);
  for (const problem of problems) screen.line(`demo: ${problem}`);
  const [actor] = numberedActors(1);
  const host = actor === undefined ? "" : hostOf(actor, actorDomain);
  screen.line(`try it: curl -H 'Host: ${host}' http://${hostname}:${envoy.port}/`);
  if (options.stay) {
    screen.line(
      `watch: atenet-router status --watch --address ${new URL(router.statusUrl).origin}`,
    );
    screen.line(`status: ${router.statusUrl}  (everything stays up until Ctrl-C)`);
  } else screen.line("(with --stay, which keeps everything up)");
  return problems.length === 0 ? 0 : 1;
}

/** What `work` becomes, or the signal's reason when that comes first. */
function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const stop = aborted(signal).then(() => Promise.reject(signal.reason));
  return Promise.race([work, stop]);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
