// A pool on a clock that stands still, with a log of its replies. Shared by the pool's tests.
import { codeName } from "../../src/engine/mod.ts";
import { Actor_Status } from "../../src/gen/ateapi/ateapi_pb.ts";
import { numberedActors, type PoolOptions, type ResumeReply } from "../../src/sim/model.ts";
import { Pool } from "../../src/sim/pool.ts";
import { FakeClock } from "../support/fake_clock.ts";

/** A pool with a log of replies: `a1 OK resumed 127.0.0.1 @100`. */
export function poolWithLog(options: Partial<PoolOptions> = {}) {
  const clock = new FakeClock();
  const pool = new Pool({
    clock,
    workers: ["127.0.0.1", "127.0.0.2"],
    actors: numberedActors(4),
    resumeDelayMs: 100,
    ...options,
  });
  const log: string[] = [];
  const resume = (actorId: string, atespace = "demo") =>
    pool.resume({ atespace, actorId }, (reply) => {
      log.push(`${actorId} ${say(reply)} @${clock.now()}`);
    });
  return { clock, pool, log, resume };
}

function say(reply: ResumeReply): string {
  if (reply.kind === "reset") return "reset";
  if (reply.kind === "status") return `${codeName(reply.code)} ${reply.message}`;
  const { status, workerIp } = reply.actor;
  const how = reply.resumed ? "resumed" : "running";
  return `OK ${how} ${workerIp}${status === Actor_Status.RUNNING ? "" : ` status ${status}`}`;
}
